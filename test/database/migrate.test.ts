import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { migrate, type Migration } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openTestDatabase } from '../support/database.ts';
import { createFolder } from '../support/programs.ts';

const NOW = '2026-01-01T00:00:00.000Z';

/** The second needs the first, and the third cannot be done twice. */
const migrations: readonly Migration[] = [
  ['CREATE TABLE a (x INTEGER) STRICT', 'INSERT INTO a VALUES (1)'],
  ['INSERT INTO a SELECT x + 1 FROM a'],
  ['ALTER TABLE a ADD COLUMN y TEXT'],
];

test('Migrations run in their order, and their versions are recorded with the time', async (context) => {
  const database = await openTestDatabase(context);
  assert.deepEqual(await migrate(database, migrations, NOW), [1, 2, 3]);
  assert.deepEqual(await ask(database, 'SELECT x, y FROM a ORDER BY x'), [[1, null], [2, null]]);
  const records = await ask(database, 'SELECT version, applied_at FROM schema_migrations');
  assert.deepEqual(records, [[1, NOW], [2, NOW], [3, NOW]]);
});

test('Migrations that have run do not run again, and those that are appended do', async (context) => {
  const database = await openTestDatabase(context);
  assert.deepEqual(await migrate(database, migrations.slice(0, 2), NOW), [1, 2]);
  assert.deepEqual(await migrate(database, migrations.slice(0, 2), NOW), []);
  assert.deepEqual(await migrate(database, migrations, NOW), [3]);
  assert.deepEqual(await ask(database, 'SELECT x FROM a'), [[1], [2]]);
});

test('Without migrations a database stays at version 0', async (context) => {
  assert.deepEqual(await migrate(await openTestDatabase(context), [], NOW), []);
});

test('Of several programs that start on one file at once, each migration is done by one', async (context) => {
  const databases = await openSameFile(context, 4);
  const applied = await Promise.all(databases.map((database) => migrate(database, migrations, NOW)));
  assert.deepEqual(applied.flat().toSorted(), [1, 2, 3]);
  const contents = await Promise.all(databases.map((database) => ask(database, 'SELECT x FROM a')));
  assert.deepEqual(contents, Array(4).fill([[1], [2]]));
});

test('A migration that fails half-way leaves nothing behind, and those before it stay', async (context) => {
  const database = await openTestDatabase(context);
  const broken: Migration = ['CREATE TABLE b (x INTEGER) STRICT', 'INSERT INTO nowhere VALUES (1)'];
  const further: Migration = ['CREATE TABLE c (x INTEGER) STRICT'];
  await assert.rejects(migrate(database, [...migrations.slice(0, 2), broken, further], NOW), (error: Error) => {
    assert.match(error.message, /^Cannot bring the database to schema version 3: (The database cluster refuses a statement: )?no such table: nowhere$/);
    assert.match(String(error.cause), /no such table: nowhere/);
    return true;
  });
  assert.deepEqual(await ask(database, "SELECT name FROM sqlite_schema WHERE name IN ('a', 'b', 'c')"), [['a']]);
  assert.deepEqual(await migrate(database, migrations, NOW), [3]);
});

test('A database of a newer program is refused, and left as it is', async (context) => {
  const database = await openTestDatabase(context);
  await migrate(database, migrations, NOW);
  await assert.rejects(migrate(database, migrations.slice(0, 2), NOW), {
    message: 'The database has schema version 3, but this program knows only 2: run a newer program',
  });
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM schema_migrations'), [[3]]);
});

async function openSameFile(context: TestContext, count: number): Promise<readonly Database[]> {
  const path = join(createFolder(context), 'data.sqlite');
  const databases = await Promise.all(Array.from({ length: count }, () => openDatabase({ driver: 'sqlite', path })));
  context.after(() => Promise.all(databases.map((database) => database.close())));
  return databases;
}

async function ask(database: Database, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await database.read({ sql, parameters: [] })).map((row) => Object.values(row));
}
