/** Users get fast password hashes, because a normal hash takes 150 ms of processor time. */
import { scryptSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Statement } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createSchema } from '../../src/stores/schema.ts';
import { issueRootToken } from './administrator.ts';
import { basic } from './http-client.ts';
import { createInstallation, inFile, type Launch } from './programs.ts';
import { sql } from './sql.ts';

interface Owner {
  readonly username: string;
  /** The number of projects. Their names are `<username>-1`, `<username>-2` and so on. */
  readonly projects: number;
  readonly description: string;
}

export const LONGEST_DESCRIPTION = '\u{1F600}'.repeat(2_000);
const SALT = Buffer.alloc(16);

function insertUser(username: string, passwordHash = '', isAdmin = false): Statement {
  return sql(
    `INSERT INTO users (username, username_key, email, password_hash, is_admin, date_created)
     VALUES (?, ?, ?, ?, ?, '2026-01-01T00:00:00.000Z')`,
    username, username, `${username}@example.org`, passwordHash, Number(isAdmin),
  );
}

export function insertProjects({ username, projects, description }: Owner): Statement {
  return sql(
    `WITH RECURSIVE numbers (number) AS (
       SELECT 1 WHERE ? > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?
     )
     INSERT INTO projects (name, name_key, description, owner_id, date_created)
     SELECT username || '-' || number, username || '-' || number, ?, id, date_created
     FROM users CROSS JOIN numbers WHERE username = ?`,
    projects, projects, description, username,
  );
}

/** Fills a database file before a server starts, so the server does not have to create the tables. */
export async function createFilled(
  context: TestContext, settings: Readonly<Record<string, string>> = {}, owners: readonly Owner[] = [],
) {
  const installation = createInstallation(context, settings);
  const database = await openSqlite({ driver: 'sqlite', path: installation.path });
  await createSchema(database);
  await database.write(owners.flatMap((owner) => [insertUser(owner.username), insertProjects(owner)]));
  await database.close();
  return installation;
}

/** @param username - A name in lower case. @returns Credentials with the password `<username>-password`. */
export function storeUser(
  { DATABASE_URL }: { readonly DATABASE_URL: string }, username: string, { isAdmin = false } = {},
): string {
  const password = `${username}-password`;
  const hash = scryptSync(password, SALT, 32, { N: 2, r: 1, p: 1 });
  const [salt, key] = [SALT, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  const { sql: text, parameters } = insertUser(username, `$scrypt$ln=1,r=1,p=1$${salt}$${key}`, isAdmin);
  inFile(DATABASE_URL.replace('sqlite:', ''), (database) => database.prepare(text).run(...parameters));
  return basic(username, password);
}

export async function startWithRoot(
  t: TestContext, settings: Readonly<Record<string, string>> = {},
  { owners, ...options }: Launch & { readonly owners?: readonly Owner[] } = {},
) {
  const installation = await createFilled(t, settings, owners);
  const server = await installation.start(options);
  storeUser(installation.environment, 'root', { isAdmin: true });
  const { port, process: { pid = 0 } } = server;
  return { ...installation, server, port, pid, as: await issueRootToken(port) };
}
