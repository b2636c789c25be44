/** Opens the database of the settings with the driver that its location asks for. */
import type { Database } from '../database/database.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { openDatabase } from '../database/open.ts';

/**
 * @param onFault - Told of each node that is at fault.
 * @returns What a cluster needs once a minute, or `undefined` for another database.
 */
export async function createDatabaseMaintenance(
  location: DatabaseLocation, database: Database, onFault: (fault: string) => void,
): Promise<(() => Promise<void>) | undefined> {
  if (location.driver !== 'rqlite') {
    return undefined;
  }
  const { createClusterWatch } = await import('../extras/cluster/watch.ts');
  return createClusterWatch({ location, database }, onFault);
}

/** The driver for clusters is loaded only where one is used. */
export function openConfiguredDatabase(location: DatabaseLocation): Promise<Database> {
  return openDatabase(location, async (cluster) => {
    const { openRqlite } = await import('../extras/cluster/driver.ts');
    return openRqlite(cluster);
  });
}
