/** Opens the configured database with the driver for its location: a file or a cluster. */
import type { Database } from '../database/database.ts';
import type { DatabaseLocation, RqliteLocation } from '../database/location.ts';
import { openDatabase, openExistingDatabase } from '../database/open.ts';

/**
 * @param onFault - Called for each node with a fault.
 * @returns The maintenance of a cluster, to be called once a minute; `undefined` for a SQLite file.
 */
export async function createDatabaseMaintenance(
  location: DatabaseLocation, database: Database, onFault: (fault: string) => void,
): Promise<(() => Promise<void>) | undefined> {
  if (location.driver !== 'rqlite') {
    return undefined;
  }
  const { createClusterWatch } = await import('../extras/cluster/nodes.ts');
  return createClusterWatch({ location, database }, onFault);
}

/** Loads the driver for clusters only where a cluster is used. */
async function openCluster(location: RqliteLocation): Promise<Database> {
  return (await import('../extras/cluster/driver.ts')).openRqlite(location);
}

export function openConfiguredDatabase(location: DatabaseLocation): Promise<Database> {
  return openDatabase(location, openCluster);
}

/** Opens an existing database, and creates no file. */
export function openConfiguredExistingDatabase(location: DatabaseLocation): Promise<Database> {
  return openExistingDatabase(location, openCluster);
}
