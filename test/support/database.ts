/**
 * Opens SQLite in memory for one test. If `TEST_DATABASE_URL` names a cluster, opens and empties the cluster
 * instead. Tests on the same cluster must not run concurrently, so `scripts/test.ts` runs one test file at a
 * time on each cluster.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { parseDatabaseUrl, type RqliteLocation } from '../../src/database/location.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { sql } from './sql.ts';

export const clusterUrl = process.env['TEST_DATABASE_URL'];

/** These time limits are long, because a change that exceeds a limit has an unknown outcome. */
const PATIENT = { requestMs: 120_000, attemptMs: 60_000 };

export const skipWithoutCluster = clusterUrl === undefined && 'no cluster: see npm test -- --cluster';

export async function openTestDatabase(context: TestContext): Promise<Database> {
  const location = parseDatabaseUrl(clusterUrl ?? 'sqlite::memory:');
  assert(location !== undefined, `Cannot read TEST_DATABASE_URL "${clusterUrl}"`);
  const database = await (location.driver === 'sqlite' ? openSqlite(location) : openCluster(location));
  context.after(() => database.close());
  await dropTables(database);
  return database;
}

export async function openFile(context: TestContext, path: string): Promise<Database> {
  const database = await openSqlite({ driver: 'sqlite', path });
  context.after(() => database.close());
  return database;
}

/** The URL of the driver is computed, so that this file compiles even without `src/extras`. */
async function openCluster(location: RqliteLocation): Promise<Database> {
  const { href } = new URL('../../src/extras/cluster/driver.ts', import.meta.url);
  const driver = await import(href) as {
    openRqlite(location: RqliteLocation, timeouts: typeof PATIENT): Promise<Database>;
  };
  return driver.openRqlite(location, PATIENT);
}

/** Drops newer tables first, because a table can refer to older tables. SQLite itself drops shadow tables. */
async function dropTables(database: Database): Promise<void> {
  const tables = await database.read(sql(`
    SELECT name, sqlite_schema.type FROM pragma_table_list JOIN sqlite_schema USING (name)
    WHERE schema = 'main' AND pragma_table_list.type IN ('table', 'virtual', 'view')
      AND name NOT IN ('applied_batches', 'sqlite_sequence')
    ORDER BY sqlite_schema.rowid DESC`));
  await database.write(tables.map(({ name, type }) => sql(`DROP ${type} "${name}"`)));
}
