/** Chooses the driver for a `DATABASE_URL`. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { parseRqliteUrl, type RqliteLocation } from './rqlite-url.ts';

/** `sqlite:` and a path, and whether a commit waits for the disk, if it says so. */
const SQLITE_URL = /^sqlite:([^?]+)(?:\?synchronous=(full|normal))?$/;

interface SqliteLocation {
  readonly driver: 'sqlite';
  /** A file, relative to the working directory or absolute, or `:memory:`. */
  readonly path: string;
  /** See sqlite.ts; `full` unless given. */
  readonly synchronous?: 'full' | 'normal';
}

/** Where the data is kept. */
export type DatabaseLocation = SqliteLocation | RqliteLocation;

/** @returns The location, or `undefined` when no driver serves such a URL. */
export function parseDatabaseUrl(url: string): DatabaseLocation | undefined {
  const [, path, synchronous] = SQLITE_URL.exec(url) ?? [];
  if (path === undefined) {
    return parseRqliteUrl(url);
  }
  return synchronous === 'normal' ? { driver: 'sqlite', path, synchronous } : { driver: 'sqlite', path };
}

/**
 * Opens a database that is there already, and creates no file.
 *
 * @throws When it is not there or cannot be opened; the message names it.
 */
export async function openExistingDatabase(location: DatabaseLocation): Promise<Database> {
  if (location.driver === 'sqlite' && location.path !== ':memory:' && isMissing(location.path)) {
    const advice = 'start the service first, or correct DATABASE_URL';
    throw new Error(`There is no database at "${location.path}": ${advice}`);
  }
  return openDatabase(location);
}

function isMissing(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size === 0;
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
      const { path, synchronous = 'full' } = location;
      const file = path === ':memory:' ? path : resolve(path); // never a URI, which SQLite would read as such
      return new SqliteDatabase(file, synchronous);
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
