import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database, Row } from '../../../src/database/database.ts';
import { createReadinessCheck } from '../../../src/extras/probes/readiness.ts';

const VERSION = 3;

test('A database that refuses, or is silent for 2 seconds, is not ready: one report', async (context) => {
  const { check, answer, errors } = createWorld(context);
  const refused = check();
  answer(new Error('away'));
  assert.deepEqual(await refused, ['cluster']);
  context.mock.timers.tick(1_000);
  const silent = check();
  context.mock.timers.tick(2_000);
  assert.deepEqual(await silent, ['cluster']);
  assert.deepEqual(errors, ['Error: away', 'Error: No answer within 2000 ms']);
});

test('Requests during a check, or within a second of its result, share the result', async (context) => {
  const { check, answer, asked } = createWorld(context);
  const outcomes = [check(), check()];
  answer([{ version: VERSION }]);
  await Promise.all(outcomes);
  context.mock.timers.tick(999);
  await check();
  assert.deepEqual(asked, ['recent'], 'which adds no entry to the log of a cluster');
  context.mock.timers.tick(1);
  void check();
  assert.equal(asked.length, 2);
});

/** Creates a database that responds when the test decides. */
function createWorld(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: (string | undefined)[] = [];
  const errors: string[] = [];
  let settle: (answer: readonly Row[] | Error) => void = () => {};
  let versions: readonly Row[] = [];
  const database: Database = {
    read: ({ sql }, consistency) => {
      if (!sql.includes('sqlite_schema')) {
        return Promise.resolve(versions); // the response to the second query
      }
      asked.push(consistency);
      return new Promise((resolve, reject) => {
        settle = (answer) => {
          if (answer instanceof Error) {
            reject(answer);
          } else {
            versions = answer;
            resolve([{}]);
          }
        };
      });
    },
    write: () => Promise.reject(new Error('It only reads')),
    change: () => Promise.reject(new Error('It only reads')),
    close: async () => {},
  };
  const check = createReadinessCheck(database, 'cluster', VERSION, (error) => errors.push(String(error)));
  return { check, asked, errors, answer: (answer: readonly Row[] | Error) => settle(answer) };
}
