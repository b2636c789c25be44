/** Opens the configured database with the driver for its location: a file or a cluster. */
import { resolve } from 'node:path';
import { createSchema, type SchemaOutcome } from '../database/create-schema.ts';
import type { Database } from '../database/database.ts';
import { IN_MEMORY, type DatabaseLocation, type RqliteLocation } from '../database/location.ts';
import { openDatabase, openExistingDatabase } from '../database/open.ts';
import type { DatabaseOpeners } from '../extras/admin/command-line.ts';
import { schema } from '../stores/schema.ts';
import { reasonOf } from '../telemetry/error-text.ts';

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

interface ReadyDatabase {
  readonly database: Database;
  /** Whether its tables were created, upgraded or complete. */
  readonly outcome: SchemaOutcome;
  /** The file with the data as it was before an upgrade; a cluster has none. */
  readonly copy: string | undefined;
}

/**
 * Opens the database, and creates or upgrades its tables.
 *
 * @throws When the database cannot be opened or upgraded; then it is unchanged.
 */
export async function openReadyDatabase(location: DatabaseLocation): Promise<ReadyDatabase> {
  const database = await openDatabase(location, openCluster);
  try {
    const upgrade = location.driver === 'sqlite' && location.path !== IN_MEMORY
      ? await upgradeFileOf(location.path)
      : undefined;
    const outcome = await createSchema(database, schema);
    return upgrade === undefined
      ? { database, outcome, copy: undefined }
      : { database, outcome: { kind: 'upgraded', from: upgrade.from }, copy: upgrade.copy };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function upgradeFileOf(path: string) {
  const { upgradeFile } = await import('../extras/data/upgrade.ts'); // loads SQLite
  try {
    return await upgradeFile(resolve(path), schema);
  } catch (error) {
    throw new Error(`Cannot upgrade the database "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** How commands open databases. */
export const databaseOpeners: DatabaseOpeners = {
  openExistingDatabase: (location) => openExistingDatabase(location, openCluster),
};
