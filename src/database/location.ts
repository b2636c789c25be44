/**
 * Parses `DATABASE_URL`. The forms are `sqlite:FILE[?synchronous=full|normal]`, `sqlite::memory:`, and
 * `rqlite://[user:password@]host:port[,host:port…][?tls=1]`. User and password are percent-encoded.
 */

export const IN_MEMORY = ':memory:';

export interface SqliteLocation {
  readonly driver: 'sqlite';
  readonly path: string;
  /** With `normal`, a power cut can lose the last writes, but a crash of the process loses none. */
  readonly synchronous?: 'full' | 'normal';
}

export type RqliteNode = Readonly<{ host: string; port: number }>;

export interface RqliteLocation {
  readonly driver: 'rqlite';
  readonly nodes: readonly [RqliteNode, ...RqliteNode[]];
  readonly usesTls: boolean;
  readonly credentials: Readonly<Record<'username' | 'password', string>> | undefined;
}

export type DatabaseLocation = SqliteLocation | RqliteLocation;

const SQLITE_URL = /^sqlite:([^?]+?)(?:\?synchronous=(full|normal))?$/;
const RQLITE_URL = /^rqlite:\/\/(?:([^:@/?#\s]+):([^:@/?#\s]*)@)?([^@/?#\s]+)(\?tls=1)?$/;
const NODE = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})$/;

/** @returns The location, or `undefined` if the text is not a valid URL of a database. */
export function parseDatabaseUrl(url: string): DatabaseLocation | undefined {
  const [, path, synchronous] = SQLITE_URL.exec(url) ?? [];
  if (path !== undefined) {
    return { driver: 'sqlite', path, ...(synchronous === 'normal' && { synchronous }) };
  }
  const [, username, password = '', hosts = '', tls] = RQLITE_URL.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map(parseNode);
  if (first === undefined || !others.every((node) => node !== undefined)) {
    return undefined;
  }
  try {
    const credentials = username === undefined ? undefined
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    return { driver: 'rqlite', nodes: [first, ...others], usesTls: tls !== undefined, credentials };
  } catch {
    return undefined; // a malformed percent-escape
  }
}

function parseNode(text: string): RqliteNode | undefined {
  const [, address, name, port] = NODE.exec(text) ?? [];
  const node = { host: address ?? name ?? '', port: Number(port) };
  return node.port >= 1 && node.port <= 65_535 ? node : undefined;
}
