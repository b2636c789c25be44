/**
 * The form of a `DATABASE_URL` that names a cluster: `rqlite://[user:password@]host:port[,host:port…][?tls=1]`. User and
 * password are percent-encoded, IPv6 addresses stand in brackets. The URL is never sent: credentials travel in a header.
 */

export interface RqliteLocation {
  readonly driver: 'rqlite';
  /** Where the nodes answer HTTP; one is enough, more are tried in turn. */
  readonly nodes: readonly [RqliteNode, ...RqliteNode[]];
  readonly usesTls: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

export interface RqliteNode {
  readonly host: string;
  readonly port: number;
}

const URL_FORM = /^rqlite:\/\/(?:(?<username>[^:@/?#\s]+):(?<password>[^:@/?#\s]*)@)?(?<nodes>[^@/?#\s]+)(?<tls>\?tls=1)?$/;
const NODE_FORM = /^(?:\[(?<address>[0-9A-Fa-f:.]+)\]|(?<name>[A-Za-z0-9._-]+)):(?<port>[0-9]{1,5})$/;
const PORT_MAX = 65_535;

/** @returns `undefined` when the text does not have the form. */
export function parseRqliteUrl(url: string): RqliteLocation | undefined {
  const { username, password, nodes = '', tls } = URL_FORM.exec(url)?.groups ?? {};
  const [first, ...others] = nodes.split(',').map(parseNode);
  if (first === undefined || !others.every((node) => node !== undefined)) {
    return undefined;
  }
  const location = { driver: 'rqlite', nodes: [first, ...others], usesTls: tls !== undefined } as const;
  if (username === undefined || password === undefined) {
    return { ...location, credentials: undefined };
  }
  try {
    return { ...location, credentials: { username: decodeURIComponent(username), password: decodeURIComponent(password) } };
  } catch {
    return undefined; // a percent sign that escapes nothing
  }
}

function parseNode(text: string): RqliteNode | undefined {
  const { address, name, port } = NODE_FORM.exec(text)?.groups ?? {};
  const host = address ?? name;
  const number = Number(port);
  return host !== undefined && number >= 1 && number <= PORT_MAX ? { host, port: number } : undefined;
}
