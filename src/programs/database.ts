/** Opens the database of the service: a file or a cluster. */
import { resolve } from 'node:path';
import { createSchema } from '../database/create-schema.ts';
import { DatabaseUnavailableError, type Database } from '../database/database.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { openDatabase } from '../database/open.ts';
import { schema } from '../stores/schema.ts';
import type { Log } from '../telemetry/log.ts';
import { late } from './extras.ts';

/**
 * Makes a database that is opened later. Queries wait until `open` is called, after the first administrator
 * is created, on whom clients may rely. After `refuse`, for an upgrade, queries fail at once.
 */
export function createLateDatabase() {
  const late = Promise.withResolvers<Database>();
  late.promise.catch(() => {}); // each call reports the failure
  const database: Database = {
    read: async (...query) => (await late.promise).read(...query),
    write: async (...batch) => (await late.promise).write(...batch),
    change: async (...batch) => (await late.promise).change(...batch),
    close: async () => {},
  };
  const names = ['read', 'write', 'change', 'close'] as const;
  return {
    database,
    open(opened: Database): void {
      late.resolve(opened);
      names.forEach((name) => Object.assign(database, { [name]: opened[name].bind(opened) }));
    },
    refuse: () => late.reject(new DatabaseUnavailableError('The database is being upgraded')),
  };
}

/**
 * @param onUpgrade - Called when an upgrade begins, or waits for another program.
 * @throws When the database cannot be opened or upgraded; a database that cannot be upgraded stays unchanged.
 */
export async function openReadyDatabase(
  location: DatabaseLocation, log: Log, onUpgrade: () => void,
): Promise<Database> {
  const logUpgrade: Log = (...line) => {
    onUpgrade();
    log(...line);
  };
  if (location.driver === 'sqlite') {
    await late.upgradeInThread?.(resolve(location.path), logUpgrade);
  }
  const database = await openDatabase(location, late.openRqlite);
  const version = { schema_version: schema.version };
  try {
    const from = await createSchema(database, schema, (found) => // this function is called only for a cluster
      logUpgrade('info', 'upgrading database', { from: found, ...version }));
    if (from < schema.version) {
      log('info', from === 0 ? 'database created' : 'database upgraded', version);
    }
    return database;
  } catch (error) {
    await database.close(); // without `close`, SQLite would leave files next to a refused file
    throw error;
  }
}
