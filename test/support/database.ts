/**
 * A fresh database for one test: SQLite in memory, or the cluster that `TEST_DATABASE_URL` names, emptied.
 * Tests that share a cluster must run one after the other, which `scripts/test.js` sees to.
 */
import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { parseDatabaseUrl, type RqliteLocation } from '../../src/database/location.ts';
import { openDatabase } from '../../src/database/open.ts';

/** The `DATABASE_URL` of a cluster that is there for tests. */
export const clusterUrl = process.env['TEST_DATABASE_URL'];

/** For the tests of clusters alone: why they are skipped, or `false`. */
export const skipWithoutCluster = clusterUrl === undefined && 'no cluster: see npm test -- --cluster';

/** An empty one, which ends with the test. */
export async function openTestDatabase(context: TestContext): Promise<Database> {
  const location = parseDatabaseUrl(clusterUrl ?? 'sqlite::memory:');
  if (location === undefined) {
    throw new Error(`Cannot read TEST_DATABASE_URL "${clusterUrl}"`);
  }
  const database = await openDatabase(location, openCluster);
  context.after(() => database.close());
  await dropTables(database);
  return database;
}

/** The driver is an extra, so it is loaded by its URL: nothing else here needs extras. */
async function openCluster(location: RqliteLocation): Promise<Database> {
  const { href } = new URL('../../src/extras/cluster/driver.ts', import.meta.url);
  const driver = await import(href) as { openRqlite(location: RqliteLocation): Promise<Database> };
  return driver.openRqlite(location);
}

/**
 * The youngest first, as it may refer to older ones; the driver's own table stays, and shadows go with what
 * casts them.
 */
async function dropTables(database: Database): Promise<void> {
  const tables = await database.read({
    sql: `
      SELECT name FROM pragma_table_list JOIN sqlite_schema USING (name)
      WHERE schema = 'main' AND pragma_table_list.type IN ('table', 'virtual')
        AND name NOT IN ('applied_batches', 'sqlite_sequence')
      ORDER BY sqlite_schema.rowid DESC`,
    parameters: [],
  });
  await database.write(tables.map(({ name }) => ({ sql: `DROP TABLE "${name}"`, parameters: [] })));
}

/**
 * On a busy machine, so large a write can make a cluster elect another leader, from whose lists the last
 * writes may be missing for a moment (see `Consistency`). A test of what is on pages reads lists like
 * everything else.
 */
export function withoutStaleReads(database: Database): Database {
  return {
    read: (statement) => database.read(statement),
    write: (statements) => database.write(statements),
    measure: () => database.measure(),
    trimLog: () => database.trimLog(),
    close: () => database.close(),
  };
}
