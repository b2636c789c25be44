import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { APPLICATION_ID, raw, type Database } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openFile } from '../support/database.ts';
import { createFolder } from '../support/programs.ts';
import { readColumn as ask } from '../support/sql.ts';
import { describeDriver } from './contract.ts';

const PREPARED_STATEMENTS_MAX = 400;

const newPath = (context: TestContext) => join(createFolder(context), 'data.sqlite');

describeDriver('SQLite in memory', (context) => openFile(context, ':memory:'));
describeDriver('SQLite on a file', (context) => openFile(context, newPath(context)));

const run = (database: Database, ...statements: readonly string[]) => database.write(statements.map(raw));

/** The second connection to the file stands for another process. */
async function openTwice(context: TestContext) {
  const path = newPath(context);
  const [database, other] = [await openFile(context, path), new DatabaseSync(path)];
  context.after(() => other.close());
  const mark = `PRAGMA application_id = ${APPLICATION_ID}`;
  await run(database, mark, 'CREATE TABLE t (a INTEGER UNIQUE) STRICT');
  return { database, other, path, count: () => ask(database, 'SELECT count(*) FROM t') };
}

test('A commit is on disk when it is acknowledged: WAL with synchronous FULL', async (context) => {
  const database = await openFile(context, newPath(context));
  assert.deepEqual(await ask(database, 'PRAGMA journal_mode'), ['wal']);
  assert.deepEqual(await ask(database, 'PRAGMA synchronous'), [2]);
});

test('With ?synchronous=normal, a commit is soon on disk: synchronous NORMAL', async (context) => {
  const database = await openSqlite({ driver: 'sqlite', path: newPath(context), synchronous: 'normal' });
  context.after(() => database.close());
  assert.deepEqual(await ask(database, 'PRAGMA journal_mode'), ['wal']);
  assert.deepEqual(await ask(database, 'PRAGMA synchronous'), [1]);
});

test('Concurrent batches, of which one fails, wait for the disk once', async (context) => {
  const { database, path, count } = await openTwice(context);
  const before = statSync(`${path}-wal`).size;
  const values = Array.from({ length: 50 }, (_, index) => (index === 7 ? 8 : index));
  await Promise.allSettled(values.map((value) => run(database, `INSERT INTO t VALUES (${value})`)));
  assert.deepEqual(await count(), [49]);
  const pages = (statSync(`${path}-wal`).size - before) / 4120;
  // Without group commit, each of the 49 writes would commit separately and write at least one page.
  assert.ok(pages <= 4, `${pages} pages were written to the log`);
});

test('While another process holds the write lock, writes wait and reads continue', async (context) => {
  const { database, other, count } = await openTwice(context);
  other.exec('BEGIN IMMEDIATE');
  let isWritten = false;
  const writing = run(database, 'INSERT INTO t VALUES (1)').then(() => { isWritten = true; });
  assert.deepEqual(await count(), [0]);
  await nextTurn();
  assert.equal(isWritten, false);
  other.exec('COMMIT');
  await writing;
  assert.deepEqual(await count(), [1]);
});

test('In one event loop iteration, writes follow reads and are acknowledged together, on disk', async (t) => {
  const { database, other } = await openTwice(t);
  const order: string[] = [];
  const note = (name: string) => () => {
    order.push(`${name}, rows on disk: ${other.prepare('SELECT count(*) AS n FROM t').get()?.['n']}`);
  };
  await Promise.all([
    ask(database, 'SELECT 1').then(note('read')),
    run(database, 'INSERT INTO t VALUES (1)').then(note('write')),
    ask(database, 'SELECT 1').then(note('read')),
    run(database, 'INSERT INTO t VALUES (2)').then(note('write')),
  ]);
  const [read, write] = ['read, rows on disk: 0', 'write, rows on disk: 2'];
  assert.deepEqual(order, [read, read, write, write]);
});

test('The write after a burst truncates the log to 8 MiB', async (context) => {
  const { database, path } = await openTwice(context);
  await run(database, 'CREATE TABLE texts (a TEXT) STRICT', `
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000)
    INSERT INTO texts SELECT printf('%4000d', n) FROM numbers`);
  assert.ok(statSync(`${path}-wal`).size > 15_000_000);
  await run(database, 'INSERT INTO t VALUES (1)');
  assert.equal(statSync(`${path}-wal`).size, 8_388_608);
});

test('Two databases in memory are independent, and create no file', async (context) => {
  const [one, other] = [await openFile(context, ':memory:'), await openFile(context, ':memory:')];
  await run(one, 'CREATE TABLE t (a INTEGER) STRICT');
  await assert.rejects(ask(other, 'SELECT a FROM t'), /no such table/);
  assert.equal(existsSync(':memory:'), false);
});

test('An empty file is an empty database', async (context) => {
  const path = newPath(context);
  writeFileSync(path, '');
  assert.deepEqual(await ask(await openFile(context, path), 'SELECT count(*) FROM sqlite_schema'), [0]);
});

test('Reads of one callback share a snapshot; a later one sees other commits', async (context) => {
  const { other, count } = await openTwice(context);
  const first = count();
  other.exec('INSERT INTO t VALUES (1)');
  assert.deepEqual(await Promise.all([first, count()]), [[0], [0]]);
  await nextTurn();
  assert.deepEqual(await count(), [1]);
});

test('Any number of distinct statements runs; the latest ones are kept', async (context) => {
  const database = await openFile(context, ':memory:');
  const { mock } = context.mock.method(DatabaseSync.prototype, 'prepare');
  const askAll = async () => {
    for (let number = 1; number <= 3 * PREPARED_STATEMENTS_MAX; number += 1) {
      assert.deepEqual(await ask(database, `SELECT ${number}`), [number]);
    }
  };
  await askAll();
  await run(database, 'CREATE TABLE u (a INTEGER) STRICT');
  const before = mock.callCount();
  await ask(database, `SELECT ${3 * PREPARED_STATEMENTS_MAX}`);
  await ask(database, `SELECT ${3 * PREPARED_STATEMENTS_MAX - 300}`);
  assert.ok(mock.callCount() - before <= 2, 'nothing but BEGIN and COMMIT is prepared again');
  await ask(database, 'SELECT 1');
  assert.ok(mock.callCount() > before, 'the oldest is forgotten');
});
