/** Opens the configured database with the driver for its location: a file or a cluster. */
import { resolve } from 'node:path';
import { createSchema, readSchemaVersion } from '../database/create-schema.ts';
import { DatabaseUnavailableError, type Database } from '../database/database.ts';
import { IN_MEMORY, type DatabaseLocation, type RqliteLocation } from '../database/location.ts';
import { openDatabase, openExistingDatabase } from '../database/open.ts';
import type { DatabaseOpeners } from '../extras/admin/command-line.ts';
import { Failure } from '../runtime.ts';
import { schema } from '../stores/schema.ts';
import { reasonOf } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';

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

/** A database that opens after the parts of the service are connected. Until then, every call fails. */
export function createLateDatabase() {
  let opened: Database | undefined;
  const late = (): Database => {
    if (opened === undefined) {
      throw new DatabaseUnavailableError('The database is not open yet');
    }
    return opened;
  };
  const database: Database = {
    read: async (statement, consistency) => late().read(statement, consistency),
    write: async (statements) => late().write(statements),
    change: async (statements, readBack) => late().change(statements, readBack),
    measure: () => opened?.measure(),
    trimLog: async () => late().trimLog(),
    close: async () => opened?.close(),
  };
  return { database, open: (ready: Database): void => { opened = ready; } };
}

interface StartReports {
  readonly log: Log;
  /** Called when an upgrade begins, or waits for another program. */
  readonly onUpgrade: () => void;
}

/**
 * Upgrades the database if it has an earlier version, opens it, and creates its tables if there are none.
 *
 * @throws Failure when the database cannot be upgraded or opened; then it is unchanged.
 */
export async function openReadyDatabase(
  location: DatabaseLocation, reports: StartReports,
): Promise<Database> {
  try {
    if (location.driver === 'sqlite' && location.path !== IN_MEMORY) {
      await upgradeFile(location.path, reports);
    }
    const database = await openDatabase(location, openCluster);
    try {
      await prepareTables(database, reports);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    throw new Failure(reasonOf(error), { cause: error });
  }
}

async function upgradeFile(path: string, { log, onUpgrade }: StartReports): Promise<void> {
  const { upgradeInThread } = await import('../extras/data/upgrade-thread.ts'); // loads SQLite
  let begunAtMs = 0;
  try {
    await upgradeInThread(resolve(path), (progress) => {
      onUpgrade();
      switch (progress.kind) {
        case 'waiting':
          return log('warn', 'database waits for another program that has it open', { database: path });
        case 'begun':
          begunAtMs = performance.now();
          return log('info', 'upgrading database', {
            from: progress.from, schema_version: schema.version, bytes: progress.sizeBytes,
          });
        case 'done':
          return log('info', 'database upgraded', {
            from: progress.from, schema_version: schema.version, seconds: secondsSince(begunAtMs),
            copy: progress.copy,
          });
      }
    });
  } catch (error) {
    throw new Error(`Cannot upgrade the database "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** Creates the tables, and upgrades those of a cluster. */
async function prepareTables(database: Database, { log, onUpgrade }: StartReports): Promise<void> {
  const version = await readSchemaVersion(database);
  const begunAtMs = performance.now();
  if (version > 0 && version < schema.version) {
    onUpgrade();
    log('info', 'upgrading database', { from: version, schema_version: schema.version });
  }
  const { kind, ...from } = await createSchema(database, schema);
  if (kind !== 'existing') {
    const seconds = kind === 'upgraded' ? secondsSince(begunAtMs) : undefined;
    log('info', `database ${kind}`, { ...from, schema_version: schema.version, seconds });
  }
}

function secondsSince(startedAtMs: number): number {
  return Math.round(performance.now() - startedAtMs) / 1000;
}

/** How commands open databases. */
export const databaseOpeners: DatabaseOpeners = {
  openExistingDatabase: (location) => openExistingDatabase(location, openCluster),
};
