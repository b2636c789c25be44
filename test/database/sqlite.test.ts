import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { APPLICATION_ID } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite.ts';
import { createFolder } from '../support/programs.ts';
import { describeDriver } from './contract.ts';

const PREPARED_STATEMENTS_MAX = 400;

describeDriver('SQLite in memory', async () => new SqliteDatabase(':memory:'));
describeDriver(
  'SQLite on a file', async (context) => new SqliteDatabase(join(createFolder(context), 'data.sqlite')),
);

test('Only the owner may read a new database file, its -wal and -shm, and its folders', async (context) => {
  const folder = createFolder(context);
  const path = join(folder, 'new/deep/data.sqlite');
  const database = openFile(context, path);
  await database.write([{ sql: 'CREATE TABLE t (a INTEGER) STRICT', parameters: [] }]);
  const modes = [path, `${path}-wal`, `${path}-shm`, join(folder, 'new'), join(folder, 'new/deep')]
    .map(modeOf);
  assert.deepEqual(modes, [0o600, 0o600, 0o600, 0o700, 0o700]);
});

test('A commit is on disk when it is acknowledged: WAL with synchronous FULL', async (context) => {
  const database = openFile(context, join(createFolder(context), 'data.sqlite'));
  assert.deepEqual(await ask(database, 'PRAGMA journal_mode'), ['wal']);
  assert.deepEqual(await ask(database, 'PRAGMA synchronous'), [2]);
});

test('SQLite keeps temporary files in memory, and needs no folder for them', async (context) => {
  const database = openFile(context, join(createFolder(context), 'data.sqlite'));
  assert.deepEqual(await ask(database, 'PRAGMA temp_store'), [2]);
});

test('Another connection to the file reads committed writes, not rolled back ones', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const [one, other] = [openFile(context, path), openFile(context, path)];
  await run(one, 'CREATE TABLE t (a INTEGER UNIQUE) STRICT', 'INSERT INTO t VALUES (1)');
  assert.deepEqual(await ask(other, 'SELECT a FROM t'), [1]);
  await assert.rejects(run(one, 'INSERT INTO t VALUES (2)', 'INSERT INTO t VALUES (1)'));
  assert.deepEqual(await ask(other, 'SELECT a FROM t'), [1]);
});

test('Two connections that write to the same file at once lose nothing', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const connections = [openFile(context, path), openFile(context, path)];
  const create = 'CREATE TABLE IF NOT EXISTS t (a INTEGER UNIQUE) STRICT';
  await Promise.all(connections.map((database) => run(database, create)));
  const add = 'INSERT INTO t SELECT 1 + coalesce(max(a), 0) FROM t';
  await Promise.all(
    Array.from({ length: 50 }, () => connections.map((database) => run(database, add))).flat(),
  );
  const counts = await Promise.all(connections.map((database) => ask(database, 'SELECT max(a) FROM t')));
  assert.deepEqual(counts, [[100], [100]]);
});

test('Concurrent batches wait for the disk once; a failing one is rolled back alone', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const database = openFile(context, path);
  await run(database, 'CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER NOT NULL) STRICT');
  const before = statSync(`${path}-wal`).size;
  const batches = Array.from({ length: 50 }, (_, index) =>
    run(
      database, `INSERT INTO t VALUES (${index}, 1)`,
      `UPDATE t SET b = ${index === 7 ? 'NULL' : '2'} WHERE a = ${index}`,
    ),
  );
  const outcomes = await Promise.allSettled(batches);
  assert.deepEqual(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])), [7]);
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t WHERE b = 2 AND a <> 7'), [49]);
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [49]);
  const pages = (statSync(`${path}-wal`).size - before) / 4120;
  assert.ok(pages <= 4, `${pages} pages were written to the log`); // 49 commits write at least 49
});

test('While another process holds the write lock, writes wait and reads continue', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const database = openFile(context, path);
  await run(database, 'CREATE TABLE t (a INTEGER) STRICT');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  let isWritten = false;
  const writing = run(database, 'INSERT INTO t VALUES (1)').then(() => { isWritten = true; });
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [0]);
  await new Promise(setImmediate);
  assert.equal(isWritten, false);
  other.exec('COMMIT');
  other.close();
  await writing;
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [1]);
});

test('Writes of one callback follow its reads, and are on disk before the next turn', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const [database, other] = [openFile(context, path), new DatabaseSync(path)];
  context.after(() => other.close());
  await run(database, 'CREATE TABLE t (a INTEGER) STRICT');
  await new Promise(setImmediate);
  const order: string[] = [];
  const note = (name: string) => () => {
    order.push(`${name}, rows on disk: ${other.prepare('SELECT count(*) AS n FROM t').get()?.['n']}`);
  };
  const steps = [
    new Promise<void>((resolve) => setImmediate(resolve)).then(note('turn')),
    run(database, 'INSERT INTO t VALUES (1)').then(note('write')),
    ask(database, 'SELECT 1').then(note('read')), // opens a snapshot, which must end before the write
    run(database, 'INSERT INTO t VALUES (2)').then(note('write')),
  ];
  await Promise.all(steps);
  assert.deepEqual(order, [
    'read, rows on disk: 0', 'write, rows on disk: 2', 'write, rows on disk: 2', 'turn, rows on disk: 2',
  ]);
});

test('The write after a burst truncates the log to 32 MiB, and a trim empties it', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const database = openFile(context, path);
  const logBytes = () => statSync(`${path}-wal`).size;
  const burst = `
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12000)
    INSERT INTO t SELECT printf('%4000d', n) FROM numbers`;
  await run(database, 'CREATE TABLE t (a TEXT) STRICT', burst);
  assert.ok(logBytes() > 45_000_000, String(logBytes()));
  await run(database, "INSERT INTO t VALUES ('next')");
  assert.equal(logBytes(), 33_554_432);

  const other = new DatabaseSync(path);
  context.after(() => other.close());
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM t').get();
  await run(database, burst);
  await database.trimLog();
  assert.ok(logBytes() > 45_000_000, 'the log that a reader needs stays');
  other.exec('COMMIT');
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [24_001]);
  await database.trimLog(); // in the same callback as the read
  assert.equal(logBytes(), 0);
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [24_001]);
});

test('Reads in one callback see one snapshot; the next sees the commits of others', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const [database, other] = [openFile(context, path), new DatabaseSync(path)];
  context.after(() => other.close());
  await run(database, 'CREATE TABLE t (a INTEGER) STRICT');
  const count = () => ask(database, 'SELECT count(*) FROM t');
  for (const before of [0, 1, 2]) {
    const counts = [count()];
    other.exec('INSERT INTO t VALUES (1)');
    counts.push(count());
    assert.deepEqual([...await Promise.all(counts), await count()], [[before], [before], [before]]);
    await new Promise(setImmediate);
  }
  assert.deepEqual(await count(), [3]);
});

test('A write sees commits of others since the last read of the same callback', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const [database, other] = [openFile(context, path), new DatabaseSync(path)];
  context.after(() => other.close());
  await run(database, 'CREATE TABLE t (a INTEGER) STRICT');
  assert.deepEqual(await ask(database, 'SELECT count(*) FROM t'), [0]);
  other.exec('INSERT INTO t VALUES (7)');
  await run(database, 'INSERT INTO t SELECT max(a) + 1 FROM t');
  assert.deepEqual(await ask(database, 'SELECT a FROM t'), [7, 8]);
});

test('When an error or closing ends a snapshot early, nothing else fails', async (context) => {
  const database = openFile(context, join(createFolder(context), 'data.sqlite'));
  await ask(database, 'ROLLBACK'); // as SQLite does after an I/O error
  await new Promise(setImmediate);
  assert.deepEqual(await ask(database, 'SELECT 1'), [1]);
  await database.close();
  await new Promise(setImmediate);
});

test('Written data is present when the file is opened again', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  const before = new SqliteDatabase(path);
  const owner = `PRAGMA application_id = ${APPLICATION_ID}`;
  await run(before, owner, 'CREATE TABLE t (a TEXT) STRICT', "INSERT INTO t VALUES ('kept')");
  await before.close();
  assert.deepEqual(await ask(openFile(context, path), 'SELECT a FROM t'), ['kept']);
});

test('Two databases in memory are independent, and create no file', async (context) => {
  const [one, other] = [openFile(context, ':memory:'), openFile(context, ':memory:')];
  await run(one, 'CREATE TABLE t (a INTEGER) STRICT');
  await assert.rejects(other.read({ sql: 'SELECT a FROM t', parameters: [] }), /no such table/);
  assert.equal(existsSync(':memory:'), false);
});

test('A file that is not a database is refused and stays unchanged', (context) => {
  const path = join(createFolder(context), 'notes.txt');
  writeFileSync(path, 'no database, but long enough to be one: '.repeat(100));
  const before = readFileSync(path);
  assert.throws(() => new SqliteDatabase(path), { message: 'file is not a database' });
  assert.deepEqual(readFileSync(path), before);
});

test('An empty file is an empty database', async (context) => {
  const path = join(createFolder(context), 'data.sqlite');
  writeFileSync(path, '');
  assert.deepEqual(await ask(openFile(context, path), 'SELECT count(*) FROM sqlite_schema'), [0]);
});

test('Distinct statements are prepared up to the limit; one more is refused', async (context) => {
  const database = openFile(context, ':memory:');
  for (let number = 1; number <= PREPARED_STATEMENTS_MAX; number += 1) {
    assert.deepEqual(await ask(database, `SELECT ${number}`), [number]);
  }
  await assert.rejects(
    ask(database, 'SELECT 0'), { message: 'Cannot prepare more than 400 distinct statements' },
  );
  assert.deepEqual(await ask(database, 'SELECT 1'), [1]);
});

function openFile(context: TestContext, path: string): SqliteDatabase {
  const database = new SqliteDatabase(path);
  context.after(() => database.close());
  return database;
}

async function run(database: SqliteDatabase, ...statements: readonly string[]): Promise<void> {
  await database.write(statements.map((sql) => ({ sql, parameters: [] })));
}

/** The first column of all rows. */
async function ask(database: SqliteDatabase, sql: string): Promise<readonly unknown[]> {
  return (await database.read({ sql, parameters: [] })).map((row) => Object.values(row)[0]);
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
