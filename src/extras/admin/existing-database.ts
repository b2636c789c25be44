import { statSync } from 'node:fs';
import type { Database } from '../../database/database.ts';
import { IN_MEMORY, type DatabaseLocation } from '../../database/location.ts';
import { readSchemaVersion, requireSchemaVersion, SCHEMA_VERSION } from '../../stores/schema.ts';
import type { CommandContext } from './command-line.ts';

/**
 * Runs an action on a database that the service has made.
 *
 * @throws Error if the database is missing, or if its tables are missing or old.
 */
export async function withExistingDatabase<Result>(
  location: DatabaseLocation, { openDatabase }: CommandContext, act: (database: Database) => Promise<Result>,
): Promise<Result> {
  const path = location.driver === 'sqlite' ? location.path : IN_MEMORY;
  if (path !== IN_MEMORY && !statSync(path, { throwIfNoEntry: false })?.size) {
    throw new Error(`There is no database at "${path}": start the service first, or correct DATABASE_URL`);
  }
  const database = await openDatabase(location);
  try {
    const version = await readSchemaVersion(database);
    if (version < SCHEMA_VERSION) {
      throw new Error(version === 0
        ? 'The database is empty: start the service, which creates the tables'
        : `The database has schema version ${version}: start the service, which upgrades it`);
    }
    requireSchemaVersion(version);
    return await act(database);
  } finally {
    await database.close();
  }
}
