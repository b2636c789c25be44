import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import { planUpgrade, upgradeTables } from '../../src/extras/data/upgrade-steps.ts';
import { createSchema, readSchemaVersion, SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { fillAsReleased, RELEASED_VERSIONS } from '../support/released-database.ts';
import { sql } from '../support/sql.ts';

async function ask(database: Database, question: string) {
  return (await database.read(sql(question))).map((row) => ({ ...row }));
}

async function openReleased(t: TestContext, version: (typeof RELEASED_VERSIONS)[number]): Promise<Database> {
  const database = await openTestDatabase(t);
  await fillAsReleased(database, version, clusterUrl !== undefined);
  return database;
}

/** Upgrades the tables as the service does at its start. @returns The log, without levels. */
async function upgrade(database: Database): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  await upgradeTables(database, (_, ...line) => lines.push(line));
  assert.equal(await createSchema(database), SCHEMA_VERSION);
  return lines;
}

const TABLES = `
  SELECT name, type, wr, strict FROM pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%' AND name <> 'applied_batches'`;

/** Comparisons ignore the order of columns, because upgrades change the order. */
const PARTS = {
  tables: `${TABLES} ORDER BY name`,
  columns: `
    SELECT tables.name AS "table", columns.name, columns.type, "notnull", dflt_value, pk, hidden
    FROM (${TABLES}) AS tables JOIN pragma_table_xinfo(tables.name) AS columns ORDER BY 1, 2`,
  references: `
    SELECT tables.name, parent."table", parent."from", parent."to", on_update, on_delete
    FROM (${TABLES}) AS tables JOIN pragma_foreign_key_list(tables.name) AS parent ORDER BY 1, 2`,
  uniqueColumns: `
    SELECT tables.name AS "table", columns.name
    FROM (${TABLES}) AS tables JOIN pragma_index_list(tables.name) AS indexes
    JOIN pragma_index_info(indexes.name) AS columns WHERE "unique" ORDER BY 1, 2`,
  indexesAndTriggers: `
    SELECT type, name, tbl_name, sql FROM sqlite_schema
    WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL ORDER BY name`,
  searches: "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'",
};

/** @returns One line for each part of the schema and for each CHECK. White space is normalized. */
async function readSchema(database: Database): Promise<readonly string[]> {
  const parts = await Promise.all(Object.entries(PARTS).map(async ([name, question]) => {
    return (await ask(database, question)).map((row) => `${name}: ${Object.values(row).join(' ')}`);
  }));
  const tables = await ask(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
  const checks = tables.flatMap(({ name, sql: text }) => {
    return [...String(text).matchAll(/\w+ [^,]* CHECK \(.*\)/g)].map(([check]) => `${name}: ${check}`);
  });
  return [...parts.flat(), ...checks.sort()].map((line) => line.replace(/\s+/g, ' '));
}

/** For each table, the columns that exist in every version and are not derived from other columns. */
const RECORDS = {
  users: `id, username, username_key, email, password_hash, password_version, is_admin, disabled, version,
    date_created`,
  projects: 'id, name, name_key, description, owner_id, version, date_created',
  tokens: 'id, digest, user_id, name, last_four, scope, date_created, expires_at, last_used, parent_id',
  audit_events: `id, occurred_at, action, resource_type, resource_id, resource_name, details, user_id,
    username, sign_in, token_id, request_id, address`,
};

function readRecords(database: Database, columns: Readonly<Record<string, string>> = RECORDS) {
  return Promise.all(Object.entries(columns).map(async ([table, names]) => {
    return [table, await ask(database, `SELECT ${names} FROM ${table} ORDER BY id`)] as const;
  }));
}

/** Reads whole tables, including generated columns and columns that triggers maintain. */
function readAll(database: Database) {
  const tables = [...Object.keys(RECORDS), 'row_counts', 'audit_removal'];
  return Promise.all(tables.map((table) => ask(database, `SELECT * FROM ${table} ORDER BY rowid`)));
}

/** Reads the SQL text of all tables, indexes and triggers, except for the tables of the cluster driver. */
function readTexts(database: Database) {
  return ask(database, "SELECT * FROM sqlite_schema WHERE tbl_name <> 'applied_batches' ORDER BY name");
}

test('Each earlier version can be upgraded, and no other', () => {
  RELEASED_VERSIONS.forEach((version) => assert.notEqual(planUpgrade(version).length, 0));
  assert.equal(RELEASED_VERSIONS.at(-1), SCHEMA_VERSION - 1);
  assert.throws(() => planUpgrade(RELEASED_VERSIONS[0] - 1), /: run the version that made the database$/);
  assert.throws(() => planUpgrade(SCHEMA_VERSION + 1), /: run a newer version$/);
});

for (const version of RELEASED_VERSIONS) {
  test(`version ${version}: the upgraded schema equals a new one`, async (t) => {
    const fresh = await openTestDatabase(t);
    await createSchema(fresh);
    const expected = await readSchema(fresh);
    const database = await openReleased(t, version);
    assert.notDeepEqual(await readSchema(database), expected);
    assert.deepEqual(await upgrade(database), [
      ['upgrading database', { from: version, schema_version: SCHEMA_VERSION }],
      ['database upgraded', { schema_version: SCHEMA_VERSION }],
    ]);
    assert.deepEqual(await readSchema(database), expected);
    assert.deepEqual(await ask(database, 'SELECT * FROM pragma_foreign_key_check'), []);
    assert.deepEqual(await upgrade(database), []);
  });

  test(`version ${version}: all records but revoked tokens are kept, with what is derived`, async (t) => {
    const database = await openReleased(t, version);
    const revoked = await ask(database, 'SELECT id FROM tokens WHERE revoked_at IS NOT NULL');
    assert.notEqual(revoked.length, 0);
    await database.write([sql('DELETE FROM tokens WHERE id = (SELECT max(id) FROM tokens)')]);
    const records = (await readRecords(database)).map(([table, rows]) => [table, rows.filter(
      ({ id }) => table !== 'tokens' || !revoked.some((token) => token['id'] === id),
    )] as const);
    const ids = 'SELECT name, seq FROM sqlite_sequence ORDER BY name';
    const lastIds = await ask(database, ids);
    await upgrade(database);
    assert.deepEqual(await readRecords(database), records);
    assert.deepEqual(await ask(database, ids), lastIds, 'no id of a deleted row is assigned again');
    assert.deepEqual(await findInconsistencies(database), []);
    const upgraded = await readAll(database);
    const columns = { ...RECORDS, tokens: `${RECORDS.tokens}, maker_id` };
    const copied = await readRecords(database, columns);
    const insertions = copied.flatMap(([table, rows]) => rows.map((row) => sql(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).fill('?')})`,
      ...Object.values(row),
    )));
    // on a cluster, `openTestDatabase` empties the upgraded database
    const fresh = await openTestDatabase(t);
    await createSchema(fresh);
    await fresh.write(insertions);
    assert.deepEqual(upgraded, await readAll(fresh), 'generated columns, counts and lists');
  });

  test(`version ${version}: an upgrade that fails, or comes too late, changes nothing`, async (t) => {
    const database = await openReleased(t, version);
    await database.write([sql('CREATE VIEW revoked AS SELECT id, revoked_at FROM tokens')]);
    const before = [await readTexts(database), await readRecords(database)];
    await assert.rejects(
      upgrade(database), /^Error: Cannot upgrade the tables of the database: .*error in view revoked/,
    );
    assert.deepEqual([await readTexts(database), await readRecords(database)], before);
    assert.equal(await readSchemaVersion(database), version);
    await database.write([sql('DROP VIEW revoked')]);
    await upgrade(database);
    const upgraded = [await readTexts(database), await readAll(database)];
    await assert.rejects(database.write(planUpgrade(version).map((text) => sql(text))));
    assert.deepEqual([await readTexts(database), await readAll(database)], upgraded);
  });

  test(`version ${version}: tables, indexes and views of others are left alone`, async (t) => {
    const database = await openReleased(t, version);
    await database.write([
      'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
      'INSERT INTO _litestream_seq VALUES (1, 42)',
      'CREATE INDEX emails ON users (email)',
      'CREATE VIEW owners AS SELECT name, username FROM projects JOIN users ON users.id = owner_id',
    ].map((text) => sql(text)));
    const read = () => Promise.all([
      `SELECT name, sql FROM sqlite_schema
        WHERE name IN ('_litestream_seq', 'emails', 'owners') ORDER BY name`,
      'SELECT * FROM owners ORDER BY name',
      'SELECT * FROM _litestream_seq',
    ].map((question) => ask(database, question)));
    const before = await read();
    await upgrade(database);
    assert.deepEqual(await read(), before);
    assert.deepEqual(await upgrade(database), []);
  });
}

test('Password links of version 6 get their maker from the audit trail', async (t) => {
  const database = await openReleased(t, 6);
  await upgrade(database);
  assert.deepEqual(
    await ask(database, "SELECT DISTINCT maker_id, username FROM tokens JOIN users ON users.id = maker_id"),
    [{ maker_id: 1, username: 'root' }],
  );
  assert.deepEqual(
    await ask(database, "SELECT id FROM tokens WHERE (scope = 'set_password') <> (maker_id IS NOT NULL)"), [],
  );
});
