/** Chooses the driver for a `DATABASE_URL`. */
import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { parseRqliteUrl, type RqliteLocation } from './rqlite-url.ts';

const SQLITE_SCHEME = 'sqlite:';

interface SqliteLocation {
  readonly driver: 'sqlite';
  /** A file, relative to the working directory or absolute, or `:memory:`. */
  readonly path: string;
}

/** Where the data is kept. */
type DatabaseLocation = SqliteLocation | RqliteLocation;

/** @returns The location, or `undefined` when no driver serves such a URL. */
export function parseDatabaseUrl(url: string): DatabaseLocation | undefined {
  const path = url.slice(SQLITE_SCHEME.length);
  return url.startsWith(SQLITE_SCHEME) && path !== '' ? { driver: 'sqlite', path } : parseRqliteUrl(url);
}

/** @throws When the database cannot be opened; the message names it. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  try {
    return await openWithDriver(location);
  } catch (error) {
    throw new Error(`Cannot open the database ${describe(location)}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Drivers are imported here and not above, so that only what is used is loaded. */
async function openWithDriver(location: DatabaseLocation): Promise<Database> {
  switch (location.driver) {
    case 'sqlite': {
      const { SqliteDatabase } = await import('./sqlite.ts');
      const { path } = location;
      return new SqliteDatabase(path === ':memory:' ? path : resolve(path)); // never a URI, which SQLite would read as such
    }
    case 'rqlite': {
      const { openRqlite } = await import('./rqlite.ts');
      return openRqlite(location);
    }
  }
}

/** Without credentials. */
function describe(location: DatabaseLocation): string {
  return location.driver === 'sqlite'
    ? `file "${location.path}"`
    : `cluster at ${location.nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
