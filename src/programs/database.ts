/** Opens the configured database with the driver for its location: a file or a cluster. */
import { resolve } from 'node:path';
import { createSchema } from '../database/create-schema.ts';
import { DatabaseUnavailableError, type Database } from '../database/database.ts';
import { IN_MEMORY, type DatabaseLocation } from '../database/location.ts';
import { openDatabase } from '../database/open.ts';
import { Failure } from '../runtime.ts';
import { schema } from '../stores/schema.ts';
import { reasonOf } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { late } from './extras.ts';

/** A database that opens after the parts of the service are connected. Until then, every call fails. */
export function createLateDatabase() {
  let opened: Database | undefined;
  const ready = (): Database => {
    if (opened === undefined) {
      throw new DatabaseUnavailableError('The database is not open yet');
    }
    return opened;
  };
  const database: Database = {
    read: async (statement, consistency) => ready().read(statement, consistency),
    write: async (statements) => ready().write(statements),
    change: async (statements, readBack) => ready().change(statements, readBack),
    close: async () => opened?.close(),
  };
  return { database, open: (given: Database): void => { opened = given; } };
}

/**
 * Upgrades the database if it has an earlier version, opens it, and creates its tables if there are none.
 *
 * @param onUpgrade - Called when an upgrade begins, or waits for another program.
 * @throws Failure when the database cannot be upgraded or opened; then it is unchanged.
 */
export async function openReadyDatabase(
  location: DatabaseLocation, log: Log, onUpgrade: () => void,
): Promise<Database> {
  const logUpgrade: Log = (...line) => {
    onUpgrade();
    log(...line);
  };
  let database: Database | undefined;
  try {
    if (location.driver === 'sqlite' && location.path !== IN_MEMORY) {
      await late.upgradeInThread?.(resolve(location.path), logUpgrade);
    }
    database = await openDatabase(location, late.openRqlite);
    await prepareTables(database, log, logUpgrade);
    return database;
  } catch (error) {
    await database?.close();
    throw new Failure(reasonOf(error), { cause: error });
  }
}

/** Creates the tables, and upgrades the tables of a cluster. */
async function prepareTables(database: Database, log: Log, logUpgrade: Log): Promise<void> {
  const { version } = schema;
  const begunAtMs = performance.now();
  const from = await createSchema(database, schema, (found) => {
    logUpgrade('info', 'upgrading database', { from: found, schema_version: version });
  });
  if (from === 0) {
    log('info', 'database created', { schema_version: version });
  } else if (from < version) {
    const seconds = Math.round(performance.now() - begunAtMs) / 1000;
    log('info', 'database upgraded', { from, schema_version: version, seconds });
  }
}
