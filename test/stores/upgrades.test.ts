import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema, readSchemaVersion } from '../../src/database/create-schema.ts';
import type { Database } from '../../src/database/database.ts';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import { schema } from '../../src/stores/schema.ts';
import { upgrades } from '../../src/stores/upgrades.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { fillAsReleased, RELEASED_VERSIONS } from '../support/released-database.ts';

const NOW = '2026-12-01T00:00:00.000Z';

async function ask(database: Database, sql: string) {
  return (await database.read({ sql, parameters: [] })).map((row) => ({ ...row }));
}

function readObjects(database: Database) {
  return ask(database, `
    SELECT type, name, tbl_name, sql FROM sqlite_schema
    WHERE tbl_name <> 'applied_batches' ORDER BY type, name`);
}

/** The columns of each version that are not derived from others. */
const RECORDS = [
  `SELECT id, username, email, password_hash, password_version, is_admin, disabled, version, date_created
   FROM users ORDER BY id`,
  'SELECT id, name, description, owner_id, version, date_created FROM projects ORDER BY id',
  `SELECT id, digest, user_id, name, last_four, scope, date_created, expires_at, last_used, revoked_at,
     parent_id
   FROM tokens ORDER BY id`,
  `SELECT id, occurred_at, action, resource_type, resource_id, resource_name, details, user_id, username,
     sign_in, token_id, request_id, address
   FROM audit_events ORDER BY id`,
];

function readRecords(database: Database) {
  return Promise.all(RECORDS.map((sql) => ask(database, sql)));
}

test('Each earlier version can be upgraded, and only those', () => {
  assert.deepEqual(upgrades.map(({ from }) => from), RELEASED_VERSIONS);
  assert.equal(RELEASED_VERSIONS.at(-1), schema.version - 1);
});

for (const version of RELEASED_VERSIONS) {
  test(`version ${version}: the upgraded schema equals a new one, object by object`, async (t) => {
    const fresh = await openTestDatabase(t);
    await createSchema(fresh, schema, NOW);
    const expected = await readObjects(fresh);
    const database = await openTestDatabase(t);
    await fillAsReleased(database, version, clusterUrl !== undefined);
    assert.notDeepEqual(await readObjects(database), expected);
    assert.deepEqual(await createSchema(database, schema, NOW), { kind: 'upgraded', from: version });
    assert.deepEqual(await readObjects(database), expected);
    assert.deepEqual(await createSchema(database, schema, NOW), { kind: 'existing' });
  });

  test(`version ${version}: every record is kept, and what is derived agrees with it`, async (t) => {
    const database = await openTestDatabase(t);
    await fillAsReleased(database, version, clusterUrl !== undefined);
    const before = await readRecords(database);
    const ids = 'SELECT name, seq FROM sqlite_sequence ORDER BY name';
    const lastIds = await ask(database, ids);
    await createSchema(database, schema, NOW);
    assert.deepEqual(await readRecords(database), before);
    assert.deepEqual(await ask(database, ids), lastIds, 'no id of a deleted row is assigned again');
    assert.deepEqual(await findInconsistencies(database), []);
  });

  test(`version ${version}: a failing upgrade changes nothing`, async (t) => {
    const database = await openTestDatabase(t);
    await fillAsReleased(database, version, clusterUrl !== undefined);
    const [objects, records] = [await readObjects(database), await readRecords(database)];
    const broken = { ...schema, statements: [...schema.statements, 'INSERT INTO nowhere VALUES (1)'] };
    await assert.rejects(
      createSchema(database, broken, NOW), /^Error: Cannot upgrade the tables of the database: /,
    );
    assert.deepEqual([await readObjects(database), await readRecords(database)], [objects, records]);
    assert.equal(await readSchemaVersion(database), version);
  });
}

for (const [version, advice] of [
  [4, 'use the program that made it'],
  [99, 'run a newer program'],
] as const) {
  test(`version ${version} is refused, and stays unchanged`, async (t) => {
    const database = await openTestDatabase(t);
    await fillAsReleased(database, 5, clusterUrl !== undefined);
    await database.write([{ sql: 'UPDATE schema_version SET version = ?', parameters: [version] }]);
    const objects = await readObjects(database);
    await assert.rejects(createSchema(database, schema, NOW), {
      message: `The database has schema version ${version}, but this program needs ${schema.version}: `
        + advice,
    });
    assert.deepEqual(await readObjects(database), objects);
  });
}
