/** Stores users with fast password hashes, because a normal hash takes 150 ms of processor time. */
import { scryptSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import { issueRootToken } from './administrator.ts';
import { createFilled, type Owner } from './filled-file.ts';
import { basic } from './http-client.ts';
import { inFile, type Launch } from './programs.ts';

const SALT = Buffer.alloc(16);
/** @param username - A name in lower case. @returns Credentials with the password `<username>-password`. */
export function storeUser(
  { DATABASE_URL }: { readonly DATABASE_URL: string }, username: string, { isAdmin = false } = {},
): string {
  const password = `${username}-password`;
  const hash = scryptSync(password, SALT, 32, { N: 2, r: 1, p: 1 });
  const [salt, key] = [SALT, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  const text = `$scrypt$ln=1,r=1,p=1$${salt}$${key}`;
  inFile(DATABASE_URL.replace('sqlite:', ''), (database) => database.prepare(`
    INSERT INTO users (username, username_key, email, password_hash, is_admin, date_created)
    VALUES (?, ?, ?, ?, ?, '2026-01-01T00:00:00.000Z')`)
    .run(username, username, `${username}@example.org`, text, Number(isAdmin)));
  return basic(username, password);
}

/** Starts a server on a new file with the administrator root, and with the users and projects of `owners`. */
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
