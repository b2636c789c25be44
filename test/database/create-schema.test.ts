import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema, readSchemaVersion, type TableSchema } from '../../src/database/create-schema.ts';
import { raw, type Database } from '../../src/database/database.ts';
import { openTestDatabase } from '../support/database.ts';

const TABLE = 'CREATE TABLE a (x INTEGER) STRICT';

/** A schema whose statements fail if they run twice. */
const SCHEMA: TableSchema = {
  version: 7, statements: [TABLE, 'INSERT INTO a VALUES (1)'], againstReplacing: [], steps: {},
};

/** An upgrade to this schema must create the trigger last, because the trigger forbids UPDATE. */
const LATER: TableSchema = {
  version: 9,
  statements: [
    'CREATE TABLE a (x INTEGER, y INTEGER, z INTEGER) STRICT', 'CREATE INDEX a_by_x ON a (x)',
    "CREATE TRIGGER a_stays BEFORE UPDATE ON a BEGIN SELECT RAISE(ABORT, 'a stays'); END",
  ],
  againstReplacing: [],
  steps: {
    8: ['ALTER TABLE a ADD COLUMN y INTEGER', 'UPDATE a SET y = x + 1'],
    9: ['ALTER TABLE a ADD COLUMN z INTEGER', 'UPDATE a SET z = y + 1'],
  },
};

async function ask(database: Database, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await database.read(raw(sql))).map((row) => Object.values(row));
}

test('Statements and steps run once, in order, after the version of the database', async (context) => {
  const database = await openTestDatabase(context);
  const eighth = { ...LATER, version: 8, steps: { 8: LATER.steps[8] ?? [] } };
  const broken = { ...SCHEMA, statements: [TABLE, 'INSERT INTO nowhere VALUES (1)'] };
  await assert.rejects(
    createSchema(database, broken), /^Error: Cannot create the tables of the database: .*: nowhere$/,
  );
  const versions = [await readSchemaVersion(database)];
  for (const schema of [SCHEMA, SCHEMA, eighth, LATER, LATER]) {
    assert.equal(await createSchema(database, schema), versions.at(-1));
    versions.push(await readSchemaVersion(database));
  }
  assert.deepEqual(versions, [0, 7, 7, 8, 9, 9]);
  assert.deepEqual(await ask(database, 'SELECT user_version FROM pragma_user_version'), [[9]]);
  assert.deepEqual(await ask(database, 'SELECT x, y, z FROM a'), [[1, 2, 3]]);
  await assert.rejects(database.write([raw('UPDATE a SET x = 2')]), /a stays/);
});
