/** Reads that ask the database for the record together with the caller. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createToken } from '../../src/auth/token.ts';
import { DatabaseUnavailableError, type Database } from '../../src/database/database.ts';
import { startCore } from '../support/core.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { basic } from '../support/http-client.ts';

const UNKNOWN_TOKEN = `Bearer ${createToken()}`;
const RECORDS = ['/api/v1/users/ada', '/api/v1/projects/notes'];

for (const path of RECORDS) {
  test(`GET ${path} with a known token asks for caller and record at the same time`, async (t) => {
    const { service, token, questions } = await start(t);
    questions.countMax = 0;
    assert.equal((await service.call(`GET ${path}`, { as: token })).status, 200);
    assert.equal(questions.countMax, 2);
  });

  test(`GET ${path} asks for the record only after it knows a caller with a password`, async (t) => {
    const { service, questions } = await start(t);
    questions.countMax = 0;
    assert.equal((await service.call(`GET ${path}`, { as: basic('ada', 'ada-password') })).status, 200);
    assert.equal(questions.countMax, 1);
  });

  test(`GET ${path} with an unknown token asks for no record`, async (t) => {
    const { service, questions } = await start(t);
    questions.countMax = 0;
    assert.equal((await service.call(`GET ${path}`, { as: UNKNOWN_TOKEN })).status, 401);
    assert.equal(questions.countMax, 1);
  });

  test(`GET ${path} with a revoked token is 401, and soon asks for no record`, async (t) => {
    const { service, token, questions } = await start(t);
    assert.equal((await service.call('DELETE /api/v1/token', { as: token })).status, 200);
    assert.equal((await service.call(`GET ${path}`, { as: token })).status, 401);
    service.clock.nowMs += 61_000;
    questions.countMax = 0;
    assert.equal((await service.call(`GET ${path}`, { as: token })).status, 401);
    assert.equal(questions.countMax, 1);
  });

  test(`GET ${path} with an unknown token is 401, also if the record is missing or fails`, async (t) => {
    const { service, questions } = await start(t);
    const found = await service.call(`GET ${path}`, { as: UNKNOWN_TOKEN });
    const missing = await service.call(`GET ${path}-missing`, { as: UNKNOWN_TOKEN });
    questions.failing = /FROM (projects|users)\b/;
    const failing = await service.call(`GET ${path}`, { as: UNKNOWN_TOKEN });
    assert.deepEqual([found, missing, failing].map(({ status }) => status), [401, 401, 401]);
  });

  test(`GET ${path} is 503 when the caller is known and the record cannot be read`, async (t) => {
    const { service, token, questions } = await start(t);
    questions.failing = /FROM (projects|users) [^]*(name_key|username_key) = /;
    assert.equal((await service.call(`GET ${path}`, { as: token })).status, 503);
  });
}

for (const [what, as] of [
  ['no credentials', undefined],
  ['a mistyped token', `${UNKNOWN_TOKEN.slice(0, -1)}!`],
  ['a scheme that does not exist', 'Digest username="ada"'],
] as const) {
  test(`A request with ${what} is refused without any read`, async (t) => {
    const { service, questions } = await start(t);
    questions.countMax = 0;
    const { status } = await service.call('GET /api/v1/projects/notes', as === undefined ? {} : { as });
    assert.equal(status, 401);
    assert.equal(questions.countMax, 0);
  });
}

test('A throttled password is refused without any read', async (t) => {
  const { service, questions } = await start(t, { failuresPerNameMax: 1 });
  const as = basic('ada', 'wrong');
  assert.equal((await service.call('GET /api/v1/projects/notes', { as })).status, 401);
  questions.countMax = 0;
  assert.equal((await service.call('GET /api/v1/projects/notes', { as })).status, 429);
  assert.equal(questions.countMax, 0);
});

interface Questions {
  /** The most reads that were open at the same time. */
  countMax: number;
  /** Reads whose statement matches fail. */
  failing: RegExp | undefined;
}

/** Starts a core with the user ada, who owns the project "notes". Reads are answered a turn later. */
async function start(context: TestContext, overrides = {}) {
  const questions: Questions = { countMax: 0, failing: undefined };
  const database = withSlowReads(await openTestDatabase(context), questions);
  const service = await startCore(context, { shared: database, overrides });
  const token = await service.registerWithToken('ada');
  await service.createProject(token, 'notes');
  return { service, token, questions };
}

function withSlowReads(database: Database, questions: Questions): Database {
  let open = 0;
  return withMethods(database, {
    async read(statement, consistency) {
      open += 1;
      questions.countMax = Math.max(questions.countMax, open);
      await nextTurn();
      open -= 1;
      if (questions.failing?.test(statement.sql)) {
        throw new DatabaseUnavailableError('No answer');
      }
      return database.read(statement, consistency);
    },
  });
}
