/** These tests simulate errors of a disk. The tests in test/faults/ use a real disk. */
import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import {
  APPLICATION_ID, DatabaseFullError, DatabaseUnavailableError, raw, sql, type Database, type Statement,
} from '../../src/database/database.ts';
import { openFile } from '../support/database.ts';
import { each } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';
import { readColumn } from '../support/sql.ts';

const IOERR_FSYNC = 10 | (4 << 8);

const insert = (name: string): Statement => sql`INSERT INTO people (name) VALUES (${name})`;

const write = (database: Database, name: string) => database.write([insert(name)]);

async function openDatabase(t: TestContext, path = join(createFolder(t), 'data.sqlite')) {
  const database = await openFile(t, path);
  await database.write([
    raw(`PRAGMA application_id = ${APPLICATION_ID}`),
    raw('CREATE TABLE people (name TEXT UNIQUE) STRICT'),
    raw('CREATE TABLE pets (owner TEXT REFERENCES people (name)) STRICT'),
    insert('ann'),
  ]);
  const names = () => readColumn(database, 'SELECT name FROM people ORDER BY name');
  /** Makes a transaction fail in `COMMIT` and `ROLLBACK`, so that the driver closes the connection. */
  async function loseConnection(): Promise<void> {
    const repair = breakStatements(t, 'COMMIT', 'ROLLBACK');
    await assert.rejects(write(database, 'bob'), DatabaseUnavailableError);
    repair();
  }
  return { database, path, names, loseConnection };
}

/** Makes statements fail before they change anything. @returns A function that repairs the statements. */
function breakStatements(t: TestContext, ...broken: readonly string[]): () => void {
  const { get } = StatementSync.prototype;
  const { mock } = t.mock.method(StatementSync.prototype, 'get', function (this: StatementSync) {
    if (broken.includes(this.sourceSQL)) {
      throw Object.assign(new Error('disk I/O error'), { errcode: IOERR_FSYNC });
    }
    return get.call(this, {});
  });
  return () => mock.restore();
}

each('with failing {0}, every write fails and none takes effect', [
  'COMMIT', 'COMMIT and ROLLBACK', 'BEGIN IMMEDIATE',
], async (broken, t) => {
  const { database, names } = await openDatabase(t);
  assert.deepEqual(await names(), ['ann']);
  const repair = breakStatements(t, ...broken.split(' and '));
  await Promise.all(Array.from({ length: 65 }, (_, index) =>
    assert.rejects(write(database, `bob ${index}`), DatabaseUnavailableError)));
  assert.deepEqual(await names(), ['ann']);
  repair();
  await Promise.all(['bob', 'eve'].map((name) => write(database, name)));
  assert.deepEqual(await names(), ['ann', 'bob', 'eve']);
});

test('when the snapshot of reads cannot end, the file is opened again', async (t) => {
  const { database, names } = await openDatabase(t);
  await nextTurn();
  const repair = breakStatements(t, 'ROLLBACK');
  assert.deepEqual(await names(), ['ann']);
  await nextTurn(); // an unhandled error of the driver would end the process here
  repair();
  await write(database, 'bob');
  assert.deepEqual(await names(), ['ann', 'bob']);
});

test('if a failed transaction cannot be undone, the other batches are written in order', async (t) => {
  const { database, names } = await openDatabase(t);
  const repair = breakStatements(t, 'ROLLBACK');
  const outcomes = await Promise.allSettled([
    [insert('bob')],
    [insert('eve'), insert('ann')],
    [raw("INSERT INTO people SELECT 'after ' || max(name) FROM people")],
  ].map((batch) => database.write(batch)));
  repair();
  assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual(await names(), ['after bob', 'ann', 'bob']);
});

test('after a failed commit, or a disk that is full, no batch of the transaction runs again', async (t) => {
  const { database, names } = await openDatabase(t);
  const repair = breakStatements(t, 'COMMIT');
  const refused = Promise.all(['bob', 'eve'].map((name) =>
    assert.rejects(write(database, name), DatabaseUnavailableError)));
  await nextTurn();
  repair();
  await refused;
  await database.write([raw('PRAGMA max_page_count = 10')]);
  await Promise.all(['bob', 'eve'.repeat(100_000)].map((name) =>
    assert.rejects(write(database, name), DatabaseFullError)));
  assert.deepEqual(await names(), ['ann']);
});

test('a write is not held up by others that keep failing', async (t) => {
  const { database, names } = await openDatabase(t);
  let isWritten = false;
  void write(database, 'bob').then(() => { isWritten = true; });
  for (let turn = 0; turn < 100 && !isWritten; turn += 1) {
    write(database, 'ann').catch(() => undefined);
    await nextTurn();
  }
  assert.ok(isWritten);
  assert.deepEqual(await names(), ['ann', 'bob']);
});

test('a replacement connection has the same settings, and an empty cache', async (t) => {
  const { database, path, names, loseConnection } = await openDatabase(t);
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  assert.deepEqual(await names(), ['ann']);
  await loseConnection();
  other.exec("UPDATE people SET name = 'zoe'");
  assert.deepEqual(await names(), ['zoe']);
  const settings = { synchronous: 2, foreign_keys: 1, temp_store: 2, journal_mode: 'wal' };
  for (const [name, expected] of Object.entries(settings)) {
    assert.deepEqual(await readColumn(database, `PRAGMA ${name}`), [expected], name);
  }
  await assert.rejects(database.write([raw("INSERT INTO pets VALUES ('nobody')")]), /FOREIGN KEY/);
});

test('a file that is missing at a reconnect is not replaced by an empty one', async (t) => {
  const { database, path, names, loseConnection } = await openDatabase(t);
  await loseConnection();
  const files = ['', '-wal', '-shm'].map((suffix) => path + suffix).filter((file) => existsSync(file));
  files.forEach((file) => renameSync(file, `${file}.away`));
  await assert.rejects(names(), DatabaseUnavailableError);
  await assert.rejects(write(database, 'bob'), DatabaseUnavailableError);
  assert.equal(existsSync(path), false);
  files.forEach((file) => renameSync(`${file}.away`, file));
  assert.deepEqual(await names(), ['ann']);
});

test('a lost database in memory stays unavailable, and does not return empty', async (t) => {
  const { names, loseConnection } = await openDatabase(t, ':memory:');
  await loseConnection();
  await assert.rejects(names(), DatabaseUnavailableError);
});

test('closing the database refuses waiting writes, even before they have the lock', async (t) => {
  const { database, path } = await openDatabase(t);
  const refused = assert.rejects(write(database, 'bob'), { message: 'The database is closed' });
  await database.close();
  await refused;

  const [second, other] = [await openFile(t, path), new DatabaseSync(path)];
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const locked = assert.rejects(write(second, 'bob'), DatabaseUnavailableError);
  await nextTurn();
  await second.close();
  await locked;
  await second.close();
});

test('other work runs between the groups of 20 long writes at once', async (t) => {
  const { database } = await openDatabase(t);
  let turns = 0;
  let isDone = false;
  void Promise.all(Array.from({ length: 20 }, (_, index) => database.write([sql`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO people (name) SELECT ${`bob ${index} `} || n FROM numbers`,
  ]))).then(() => { isDone = true; });
  for (; !isDone; turns += 1) {
    await nextTurn();
  }
  assert.ok(turns >= 3, `${turns} turns`);
});
