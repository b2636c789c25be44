/** Chooses the driver for a `DATABASE_URL`. */
import { resolve } from 'node:path';
import type { Database } from './database.ts';

const SQLITE_SCHEME = 'sqlite:';

/** Where the data is kept. */
interface DatabaseLocation {
  readonly driver: 'sqlite';
  /** A file, relative to the working directory or absolute, or `:memory:`. */
  readonly path: string;
}

/** @returns The location, or `undefined` when no driver serves such a URL. */
export function parseDatabaseUrl(url: string): DatabaseLocation | undefined {
  const path = url.slice(SQLITE_SCHEME.length);
  return url.startsWith(SQLITE_SCHEME) && path !== '' ? { driver: 'sqlite', path } : undefined;
}

/** @throws When the database cannot be opened; the message names it. */
export async function openDatabase({ path }: DatabaseLocation): Promise<Database> {
  const { SqliteDatabase } = await import('./sqlite.ts');
  try {
    return new SqliteDatabase(path === ':memory:' ? path : resolve(path)); // never a URI, which SQLite would read as such
  } catch (error) {
    throw new Error(`Cannot open the database file "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
