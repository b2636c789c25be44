import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';
import { startWithRoot } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { createInstallation } from '../support/programs.ts';
import { createReleasedFile } from '../support/released-database.ts';
import { until } from '../support/until.ts';

const LOCK_TIMEOUT_MS = 5_000;
/** A starting server waits longer than a running server, because an upgrade can hold the lock. */
const UPGRADE_TIMEOUT_MS = 60_000;

function lock(t: TestContext, path: string, sql: string): DatabaseSync {
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec(sql);
  return other;
}

describe('a locked database file', { concurrency: true }, () => {
  test('delays changes, then makes them 503 with Retry-After; reads work meanwhile', async (t) => {
    const { path, port, as, server: { logLines } } = await startWithRoot(t);
    const other = lock(t, path, 'BEGIN EXCLUSIVE');

    let isRefused = false;
    const startedAtMs = performance.now();
    const refusals = Promise.all([1, 2, 3].map((index) => call(port, 'POST /api/v1/projects', {
      as, json: { name: `locked ${index}` },
    })))
      .finally(() => { isRefused = true; });
    let readsBefore = 0;
    while (!isRefused) { // the server answers a read before it records the use of the token
      assert.equal((await call(port, 'GET /api/v1/users', { as })).status, 200);
      assert.equal((await call(port, 'GET /readyz')).status, 200);
      readsBefore += isRefused ? 0 : 1;
    }
    const waitedMs = performance.now() - startedAtMs;
    for (const { status, json, headers } of await refusals) {
      assert.deepEqual([status, json['type']], [503, '/static/problems.html#database-unavailable']);
      assert.match(json['detail'], /nothing has been changed/);
      assert.match(headers['retry-after'] ?? '', /^[0-9]+$/);
    }
    assert.ok(waitedMs >= LOCK_TIMEOUT_MS, `waited for ${waitedMs} ms`);
    assert.ok(readsBefore > 0);
    const findWarnings = () => logLines.filter((line) => line.includes('use of tokens not recorded'));
    await until(() => findWarnings().length > 0); // the log can arrive later than the responses
    assert.equal(findWarnings().length, 1);

    other.exec('ROLLBACK');
    assert.equal((await call(port, 'POST /api/v1/projects', { as, json: { name: 'locked 1' } })).status, 201);
    assert.equal((await call(port, 'GET /api/v1/projects', { as })).headers['count'], '1');
  });

  test('ends the command check with the reason, and not with a fault of the file', async (t) => {
    const { path, admin } = await startWithRoot(t);
    lock(t, path, 'BEGIN IMMEDIATE');
    const { code, stderr } = await admin('check');
    const reason = 'Another process has locked the database file';
    assert.deepEqual([code, stderr], [1, `Cannot check "${path}": ${reason}\n`]);
  });

  for (const [purpose, createFile, sql, waitMs, line] of [
    ['writing', undefined, 'PRAGMA journal_mode = WAL; BEGIN IMMEDIATE', LOCK_TIMEOUT_MS,
      /^[^\n]*(database is locked|Another process has locked the database file)\n$/],
    ['reading and writing', createReleasedFile, 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE',
      UPGRADE_TIMEOUT_MS,
      /^Cannot upgrade the database "[^"]*": another program has the file open: stop that program first\n$/],
  ] as const) {
    test(`a lock for ${purpose} ends the start after ${waitMs} ms, without changes`, async (t) => {
      const { path, serve, readFile } = createInstallation(t);
      createFile?.(path, 5);
      lock(t, path, sql);
      const before = readFile();
      const startedAtMs = performance.now();
      const { code, stderr } = await serve();
      assert.equal(code, 1);
      assert.match(stderr, line);
      assert.ok(performance.now() - startedAtMs >= waitMs);
      assert.deepEqual(readFile(), before);
    });
  }
});
