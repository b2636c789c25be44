import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSchema, readSchemaVersion, type Schema } from '../../src/database/create-schema.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openTestDatabase } from '../support/database.ts';

const TABLE = 'CREATE TABLE a (x INTEGER) STRICT';

/** A schema whose statements fail when they run twice. */
const SCHEMA: Schema = { version: 7, statements: [TABLE, 'INSERT INTO a VALUES (1)'], steps: {} };

/** A later one: another column, an index, and a trigger that no step may meet. */
const LATER: Schema = {
  version: 9,
  statements: [
    'CREATE TABLE a (x INTEGER, y INTEGER, z INTEGER) STRICT', 'CREATE INDEX a_by_x ON a (x)',
    "CREATE TRIGGER a_stays BEFORE UPDATE ON a BEGIN SELECT RAISE(ABORT, 'a stays'); END",
  ],
  steps: {
    8: ['ALTER TABLE a ADD COLUMN y INTEGER', 'UPDATE a SET y = x + 1'],
    9: ['ALTER TABLE a ADD COLUMN z INTEGER', 'UPDATE a SET z = y + 1'],
  },
};

test('The statements run once, and the version is recorded', async (context) => {
  const database = await openTestDatabase(context);
  assert.equal(await readSchemaVersion(database), 0);
  assert.deepEqual(await createSchema(database, SCHEMA), { kind: 'created' });
  assert.deepEqual(await createSchema(database, SCHEMA), { kind: 'existing' });
  assert.deepEqual(await ask(database, 'SELECT x FROM a'), [[1]]);
  assert.deepEqual(await ask(database, 'SELECT user_version FROM pragma_user_version'), [[7]]);
  assert.equal(await readSchemaVersion(database), 7);
});

test('The steps run in order, those before the version of the database not again', async (context) => {
  const database = await openTestDatabase(context);
  await createSchema(database, SCHEMA);
  const { 8: step } = LATER.steps;
  assert.deepEqual(
    await createSchema(database, { ...LATER, version: 8, steps: { 8: step ?? [] } }),
    { kind: 'upgraded', from: 7 },
  );
  assert.deepEqual(await createSchema(database, LATER), { kind: 'upgraded', from: 8 });
  assert.deepEqual(await ask(database, 'SELECT x, y, z FROM a'), [[1, 2, 3]]);
  await assert.rejects(database.write([{ sql: 'UPDATE a SET x = 2', parameters: [] }]), /a stays/);
  assert.deepEqual(await createSchema(database, LATER), { kind: 'existing' });
});

test('When several programs start on one file at once, one creates the tables, and one upgrades them',
  async (context) => {
    const databases = await openSameFile(context, 4);
    const start = async (schema: Schema) => {
      const outcomes = await Promise.all(databases.map((database) => createSchema(database, schema)));
      return outcomes.map(({ kind }) => kind).sort();
    };
    assert.deepEqual(await start(SCHEMA), ['created', 'existing', 'existing', 'existing']);
    assert.deepEqual(await start(LATER), ['existing', 'existing', 'existing', 'upgraded']);
    const contents = await Promise.all(databases.map((database) => ask(database, 'SELECT * FROM a')));
    assert.deepEqual(contents, Array(4).fill([[1, 2, 3]]));
  });

test('A failing statement is rolled back, and the next start creates all tables', async (context) => {
  const database = await openTestDatabase(context);
  const broken = { ...SCHEMA, statements: [...SCHEMA.statements, 'INSERT INTO nowhere VALUES (1)'] };
  await assert.rejects(createSchema(database, broken), (error: Error) => {
    assert.match(
      error.message, /^Cannot create the tables of the database: (.* statement: )?no such table: nowhere$/,
    );
    assert.match(String(error.cause), /no such table: nowhere/);
    return true;
  });
  assert.deepEqual(await ask(database, "SELECT name FROM sqlite_schema WHERE name = 'a'"), []);
  assert.deepEqual(await createSchema(database, SCHEMA), { kind: 'created' });
});

test('A failing step is rolled back, and the next start makes the upgrade', async (context) => {
  const database = await openTestDatabase(context);
  await createSchema(database, SCHEMA);
  const broken = { ...LATER, steps: { ...LATER.steps, 9: ['INSERT INTO nowhere VALUES (1)'] } };
  await assert.rejects(createSchema(database, broken), /^Error: Cannot upgrade the tables of the database: /);
  assert.deepEqual(await ask(database, 'SELECT * FROM a'), [[1]]);
  assert.deepEqual(await createSchema(database, LATER), { kind: 'upgraded', from: 7 });
});

for (const [version, advice] of [[6, 'use the program that made it'], [10, 'run a newer program']] as const) {
  test(`A program of version 9 refuses version ${version}, and leaves it unchanged`, async (context) => {
    const database = await openTestDatabase(context);
    await createSchema(database, { ...SCHEMA, version });
    await assert.rejects(createSchema(database, LATER), {
      message: `The database has schema version ${version}, but this program needs 9: ${advice}`,
    });
    assert.equal(await readSchemaVersion(database), version);
  });
}

async function openSameFile(context: TestContext, count: number): Promise<readonly Database[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  const path = join(folder, 'data.sqlite');
  const databases = await Promise.all(
    Array.from({ length: count }, () => openDatabase({ driver: 'sqlite', path })),
  );
  context.after(async () => {
    await Promise.all(databases.map((database) => database.close()));
    rmSync(folder, { recursive: true });
  });
  return databases;
}

async function ask(database: Database, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await database.read({ sql, parameters: [] })).map((row) => Object.values(row));
}
