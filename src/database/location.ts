/**
 * Parses `DATABASE_URL`, which says where the data is.
 *
 * - `sqlite:FILE[?synchronous=full|normal]` or `sqlite::memory:`, the embedded database.
 * - `rqlite://[user:password@]host:port[,host:port…][?tls=1]`, a cluster. User and password are
 *   percent-encoded, IPv6 addresses stand in brackets. The URL is never sent: credentials travel in a header.
 */

/** The path of a database in memory, which is gone when the process ends. */
export const IN_MEMORY = ':memory:';

interface SqliteLocation {
  readonly driver: 'sqlite';
  /** A file, relative to the working directory or absolute, or `:memory:`. */
  readonly path: string;
  /** See sqlite.ts; `full` unless given. */
  readonly synchronous?: 'full' | 'normal';
}

export interface RqliteLocation {
  readonly driver: 'rqlite';
  /** The HTTP addresses of the nodes. One is enough; several are tried in turn. */
  readonly nodes: readonly [RqliteNode, ...RqliteNode[]];
  readonly usesTls: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

export interface RqliteNode {
  readonly host: string;
  readonly port: number;
}

export type DatabaseLocation = SqliteLocation | RqliteLocation;

const SQLITE_URL = /^sqlite:([^?]+)(?:\?synchronous=(full|normal))?$/;
const CREDENTIALS = /(?:(?<username>[^:@/?#\s]+):(?<password>[^:@/?#\s]*)@)?/;
const RQLITE_URL = new RegExp(`^rqlite://${CREDENTIALS.source}(?<nodes>[^@/?#\\s]+)(?<tls>\\?tls=1)?$`);
const NODE = /^(?:\[(?<address>[0-9A-Fa-f:.]+)\]|(?<name>[A-Za-z0-9._-]+)):(?<port>[0-9]{1,5})$/;
const PORT_MAX = 65_535;

/** @returns The location, or `undefined` when the text has neither form. */
export function parseDatabaseUrl(url: string): DatabaseLocation | undefined {
  const [, path, synchronous] = SQLITE_URL.exec(url) ?? [];
  if (path === undefined) {
    return parseRqliteUrl(url);
  }
  return synchronous === 'normal' ? { driver: 'sqlite', path, synchronous } : { driver: 'sqlite', path };
}

function parseRqliteUrl(url: string): RqliteLocation | undefined {
  const { username, password, nodes = '', tls } = RQLITE_URL.exec(url)?.groups ?? {};
  const [first, ...others] = nodes.split(',').map(parseNode);
  if (first === undefined || !others.every((node) => node !== undefined)) {
    return undefined;
  }
  const location = { driver: 'rqlite', nodes: [first, ...others], usesTls: tls !== undefined } as const;
  if (username === undefined || password === undefined) {
    return { ...location, credentials: undefined };
  }
  try {
    const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    return { ...location, credentials };
  } catch {
    return undefined; // a malformed percent-escape
  }
}

function parseNode(text: string): RqliteNode | undefined {
  const { address, name, port } = NODE.exec(text)?.groups ?? {};
  const host = address ?? name;
  const number = Number(port);
  return host !== undefined && number >= 1 && number <= PORT_MAX ? { host, port: number } : undefined;
}
