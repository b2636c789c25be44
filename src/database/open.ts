/**
 * Opens the database at a location. The embedded driver is part of the core. The cluster driver is not, so
 * programs pass a function that opens a cluster.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { IN_MEMORY, type DatabaseLocation, type RqliteLocation } from './location.ts';

type OpenCluster = (location: RqliteLocation) => Promise<Database>;

/**
 * Opens an existing database, and creates no file.
 *
 * @throws When the database does not exist or cannot be opened; the message names it.
 */
export async function openExistingDatabase(
  location: DatabaseLocation, openCluster?: OpenCluster,
): Promise<Database> {
  if (location.driver === 'sqlite' && location.path !== IN_MEMORY && isMissing(location.path)) {
    const advice = 'start the service first, or correct DATABASE_URL';
    throw new Error(`There is no database at "${location.path}": ${advice}`);
  }
  return openDatabase(location, openCluster);
}

function isMissing(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size === 0;
}

/** @throws When the database cannot be opened; the message names it. */
export async function openDatabase(location: DatabaseLocation, openCluster?: OpenCluster): Promise<Database> {
  try {
    return await openWithDriver(location, openCluster);
  } catch (error) {
    throw new Error(`Cannot open the database ${describe(location)}: ${messageOf(error)}`, { cause: error });
  }
}

async function openWithDriver(location: DatabaseLocation, openCluster?: OpenCluster): Promise<Database> {
  switch (location.driver) {
    case 'sqlite': {
      const { SqliteDatabase } = await import('./sqlite.ts'); // loads SQLite, which a cluster does not need
      const { path, synchronous = 'full' } = location;
      const file = path === IN_MEMORY ? path : resolve(path); // SQLite would interpret a URI
      return new SqliteDatabase(file, synchronous);
    }
    case 'rqlite':
      if (openCluster === undefined) {
        throw new Error('this program has no cluster driver');
      }
      return openCluster(location);
  }
}

/** Names the location without its credentials. */
function describe(location: DatabaseLocation): string {
  return location.driver === 'sqlite'
    ? `file "${location.path}"`
    : `cluster at ${location.nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
