/** Opens the database of the service: a file or a cluster. */
import { DatabaseUnavailableError, type Database } from '../database/database.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { createSchema, SCHEMA_VERSION } from '../stores/schema.ts';
import type { Log } from '../telemetry/log.ts';
import { late } from './extras.ts';

/**
 * Makes a database that opens later. Queries wait until `open` is called. If `refuse` is called, all queries
 * fail. The first administrator is created before `open` is called, so the first request finds the account.
 */
export function createLateDatabase() {
  const { promise, ...opening } = Promise.withResolvers<Database>();
  promise.catch(() => {}); // each query reports the failure to its caller
  const database: Database = {
    read: async (...query) => (await promise).read(...query),
    write: async (...batch) => (await promise).write(...batch),
    change: async (...batch) => (await promise).change(...batch),
    close: async () => {},
  };
  return {
    database,
    open(opened: Database): void {
      opening.resolve(opened);
      Object.assign(database, opened);
    },
    refuse: () => opening.reject(new DatabaseUnavailableError('The database is being upgraded')),
  };
}

/** @throws An error that names the database, but contains no credentials. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  const name = location.driver === 'sqlite'
    ? `file "${location.path}"`
    : `cluster at ${location.nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  try {
    if (location.driver === 'sqlite') {
      const { openSqlite } = await import('../database/sqlite.ts'); // a cluster does not need SQLite
      return await openSqlite(location);
    }
    if (late.openRqlite === undefined) {
      throw new Error('this program has no cluster driver');
    }
    return await late.openRqlite(location);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot open the database ${name}: ${reason}`, { cause: error });
  }
}

/** @param logUpgrade - Logs that an upgrade begins, or that an upgrade waits for another program. */
export async function openReadyDatabase(location: DatabaseLocation, log: Log, logUpgrade: Log) {
  if (location.driver === 'sqlite') {
    await late.upgradeFile?.(location.path, logUpgrade);
  }
  const database = await openDatabase(location);
  try {
    await late.upgradeTables?.(database, logUpgrade);
    if (await createSchema(database) === 0) {
      log('info', 'database created', { schema_version: SCHEMA_VERSION });
    }
    return database;
  } catch (error) {
    await database.close(); // deletes the files `-wal` and `-shm` of SQLite
    throw error;
  }
}
