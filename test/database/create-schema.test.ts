import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSchema, readSchemaVersion, type TableSchema } from '../../src/database/create-schema.ts';
import { raw, type Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openTestDatabase } from '../support/database.ts';
import { createFolder } from '../support/programs.ts';

const TABLE = 'CREATE TABLE a (x INTEGER) STRICT';

/** A schema whose statements fail if they run twice. */
const SCHEMA: TableSchema = {
  version: 7, statements: [TABLE, 'INSERT INTO a VALUES (1)'], againstReplacing: [], steps: {},
};

/**
 * A later schema with a trigger. An upgrade must create the trigger after all steps, because the trigger
 * would make the steps fail.
 */
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

test('The statements run once, and the version is recorded', async (context) => {
  const database = await openTestDatabase(context);
  assert.equal(await readSchemaVersion(database), 0);
  assert.deepEqual([await createSchema(database, SCHEMA), await createSchema(database, SCHEMA)], [0, 7]);
  assert.deepEqual(await ask(database, 'SELECT x FROM a'), [[1]]);
  assert.deepEqual(await ask(database, 'SELECT user_version FROM pragma_user_version'), [[7]]);
  assert.equal(await readSchemaVersion(database), 7);
});

test('The steps run in order, those before the version of the database not again', async (context) => {
  const database = await openTestDatabase(context);
  const create = (schema: TableSchema) => createSchema(database, schema);
  const eighth = { ...LATER, version: 8, steps: { 8: LATER.steps[8] ?? [] } };
  assert.deepEqual([await create(SCHEMA), await create(eighth), await create(LATER)], [0, 7, 8]);
  assert.deepEqual(await ask(database, 'SELECT x, y, z FROM a'), [[1, 2, 3]]);
  await assert.rejects(database.write([raw('UPDATE a SET x = 2')]), /a stays/);
  assert.equal(await create(LATER), 9);
});

test('When several programs start on one file at once, one creates the tables, and one upgrades them',
  async (context) => {
    const path = join(createFolder(context), 'data.sqlite');
    const databases = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ driver: 'sqlite', path })));
    context.after(() => Promise.all(databases.map((database) => database.close())));
    const start = async (schema: TableSchema) =>
      (await Promise.all(databases.map((database) => createSchema(database, schema)))).sort();
    assert.deepEqual(await start(SCHEMA), [0, 7, 7, 7]);
    assert.deepEqual(await start(LATER), [7, 9, 9, 9]);
    const contents = await Promise.all(databases.map((database) => ask(database, 'SELECT * FROM a')));
    assert.deepEqual(contents, Array(4).fill([[1, 2, 3]]));
  });

test('A failing statement is rolled back, and the next start succeeds', async (context) => {
  const database = await openTestDatabase(context);
  const broken = { ...SCHEMA, statements: [...SCHEMA.statements, 'INSERT INTO nowhere VALUES (1)'] };
  await assert.rejects(createSchema(database, broken), /no such table: nowhere/);
  assert.deepEqual(await ask(database, "SELECT name FROM sqlite_schema WHERE name = 'a'"), []);
  assert.equal(await createSchema(database, SCHEMA), 0);
});
