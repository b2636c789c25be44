/**
 * Opens the database at a location. The embedded driver is part of the core. The core does not contain the
 * cluster driver, so programs pass a function that opens a cluster.
 */
import { statSync } from 'node:fs';
import type { Database } from './database.ts';
import { IN_MEMORY, type DatabaseLocation, type RqliteLocation } from './location.ts';

type OpenCluster = (location: RqliteLocation) => Promise<Database>;

const withoutClusters: OpenCluster = () => {
  throw new Error('this program has no cluster driver');
};

/** @throws When the database cannot be opened; the message names it, without credentials. */
export async function openDatabase(
  location: DatabaseLocation, openCluster = withoutClusters,
): Promise<Database> {
  const name = location.driver === 'sqlite'
    ? `file "${location.path}"`
    : `cluster at ${location.nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  try {
    if (location.driver === 'rqlite') {
      return await openCluster(location);
    }
    const { openSqlite } = await import('./sqlite.ts'); // loads SQLite, which a cluster does not need
    return await openSqlite(location.path, location.synchronous);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot open the database ${name}: ${reason}`, { cause: error });
  }
}

/** Opens an existing database, and creates no file. @throws When there is none, or it cannot be opened. */
export async function openExistingDatabase(
  location: DatabaseLocation, openCluster?: OpenCluster,
): Promise<Database> {
  if (location.driver === 'sqlite' && location.path !== IN_MEMORY) {
    const { size } = statSync(location.path, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size === 0) {
      const advice = 'start the service first, or correct DATABASE_URL';
      throw new Error(`There is no database at "${location.path}": ${advice}`);
    }
  }
  return openDatabase(location, openCluster);
}
