/** Opens the database of the settings with the driver that its location asks for. */
import type { Database } from '../database/database.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { openDatabase } from '../database/open.ts';

/** The driver for clusters is loaded only where one is used. */
export function openConfiguredDatabase(location: DatabaseLocation): Promise<Database> {
  return openDatabase(location, async (cluster) => (await import('../extras/cluster/driver.ts')).openRqlite(cluster));
}
