import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database, Row } from '../../../src/database/database.ts';
import { createReadinessCheck } from '../../../src/extras/probes/probes.ts';
import { SCHEMA_VERSION } from '../../../src/stores/schema.ts';

test('A database that refuses, or is silent for 2 seconds, is not ready: one report', async (context) => {
  const { check, answers, errors } = createWorld(context);
  const refused = check();
  answers().fail(new Error('away'));
  assert.deepEqual(await refused, ['cluster']);
  context.mock.timers.tick(1_000);
  const silent = check();
  context.mock.timers.tick(2_000);
  assert.deepEqual(await silent, ['cluster']);
  assert.deepEqual(errors, ['Error: away', 'Error: No answer within 2000 ms']);
});

test('Requests during a check, or within a second of its result, share the result', async (context) => {
  const { check, answers, asked } = createWorld(context);
  const outcomes = [check(), check()];
  answers().succeed();
  await Promise.all(outcomes);
  context.mock.timers.tick(999);
  await check();
  assert.deepEqual(asked, ['recent'], 'which adds no entry to the log of a cluster');
  context.mock.timers.tick(1);
  void check();
  assert.equal(asked.length, 2);
});

function createWorld(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: (string | undefined)[] = [];
  const errors: string[] = [];
  let answers = { succeed: () => {}, fail: (_: Error) => {} };
  const database: Database = {
    read: ({ sql }, consistency) => {
      if (!sql.includes('sqlite_schema')) {
        return Promise.resolve([{ version: SCHEMA_VERSION }]); // answers the query for the schema version
      }
      asked.push(consistency);
      const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
      answers = { succeed: () => resolve([{}]), fail: reject };
      return promise;
    },
    write: () => Promise.reject(new Error('It only reads')),
    change: () => Promise.reject(new Error('It only reads')),
    close: async () => {},
  };
  const check = createReadinessCheck({
    config: { database: { driver: 'rqlite' } }, database,
    log: (_level, _message, details) => errors.push(/.*/.exec(String(details?.['error']))?.[0] ?? ''),
  });
  return { check, asked, errors, answers: () => answers };
}
