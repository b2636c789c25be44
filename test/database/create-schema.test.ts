import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSchema, readSchemaVersion, type Schema } from '../../src/database/create-schema.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openTestDatabase } from '../support/database.ts';

const NOW = '2026-01-01T00:00:00.000Z';

/** A schema whose statements fail when they run twice. */
const SCHEMA: Schema = {
  version: 2, statements: ['CREATE TABLE a (x INTEGER) STRICT', 'INSERT INTO a VALUES (1)'],
  againstReplacing: [], upgrades: [],
};

test('The statements run once, and the version is recorded with the time', async (context) => {
  const database = await openTestDatabase(context);
  assert.deepEqual(await createSchema(database, SCHEMA, NOW), { kind: 'created' });
  assert.deepEqual(await createSchema(database, SCHEMA, NOW), { kind: 'existing' });
  assert.deepEqual(await ask(database, 'SELECT x FROM a'), [[1]]);
  assert.deepEqual(await ask(database, 'SELECT version, created_at FROM schema_version'), [[2, NOW]]);
  assert.equal(await readSchemaVersion(database), 2);
});

test('When several programs start on one file at once, only one creates the tables', async (context) => {
  const databases = await openSameFile(context, 4);
  const created = await Promise.all(databases.map((database) => createSchema(database, SCHEMA, NOW)));
  assert.equal(created.filter(({ kind }) => kind === 'created').length, 1);
  const contents = await Promise.all(databases.map((database) => ask(database, 'SELECT x FROM a')));
  assert.deepEqual(contents, Array(4).fill([[1]]));
});

test('A failing statement is rolled back, and the next start creates all tables', async (context) => {
  const database = await openTestDatabase(context);
  const broken = { ...SCHEMA, statements: [...SCHEMA.statements, 'INSERT INTO nowhere VALUES (1)'] };
  await assert.rejects(createSchema(database, broken, NOW), (error: Error) => {
    assert.match(
      error.message, /^Cannot create the tables of the database: (.* statement: )?no such table: nowhere$/,
    );
    assert.match(String(error.cause), /no such table: nowhere/);
    return true;
  });
  assert.deepEqual(await ask(database, "SELECT name FROM sqlite_schema WHERE name = 'a'"), []);
  assert.deepEqual(await createSchema(database, SCHEMA, NOW), { kind: 'created' });
});

for (const [version, advice] of [
  [1, 'use the program that made it'],
  [3, 'run a newer program'],
] as const) {
  test(`A program of version 2 refuses version ${version}, and leaves it unchanged`, async (context) => {
    const database = await openTestDatabase(context);
    await createSchema(database, { ...SCHEMA, version }, NOW);
    await assert.rejects(createSchema(database, SCHEMA, NOW), {
      message: `The database has schema version ${version}, but this program needs 2: ${advice}`,
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
