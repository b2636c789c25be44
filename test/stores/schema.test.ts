import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema, readSchemaVersion, SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { openTestDatabase } from '../support/database.ts';
import { sql } from '../support/sql.ts';

const TABLES = sql("SELECT * FROM sqlite_schema WHERE tbl_name <> 'applied_batches' ORDER BY name");

test('Tables are created once', async (t) => {
  const database = await openTestDatabase(t);
  assert.equal(await createSchema(database), 0);
  const tables = await database.read(TABLES);
  assert.equal(await createSchema(database), SCHEMA_VERSION);
  assert.deepEqual(await database.read(TABLES), tables);
});

test('Tables that cannot all be created leave the database as it was', async (t) => {
  const database = await openTestDatabase(t);
  await database.write([sql('CREATE TABLE audit_removal (id INTEGER)')]);
  const tables = await database.read(TABLES);
  await assert.rejects(
    createSchema(database),
    /^Error: Cannot create the tables of the database: .*table audit_removal already exists/,
  );
  assert.deepEqual(await database.read(TABLES), tables);
  assert.equal(await readSchemaVersion(database), 0);
});

test('Programs of versions 5 and 6 find the newer version in the old place, and make nothing', async (t) => {
  const database = await openTestDatabase(t);
  await createSchema(database);
  const tables = await database.read(TABLES);
  await database.write([sql(`
    CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, created_at TEXT NOT NULL) STRICT`,
  )]);
  const [row] = await database.read(sql('SELECT coalesce(max(version), 0) AS version FROM schema_version'));
  assert.deepEqual({ ...row }, { version: SCHEMA_VERSION });
  assert.deepEqual(await database.read(TABLES), tables);
});
