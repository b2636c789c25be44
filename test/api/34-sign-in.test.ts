import assert from 'node:assert/strict';
import type { NameKey } from '../../src/model/name.ts';
import { starting, type Overrides } from '../support/each.ts';
import { basic, BEHIND_PROXY, inTurn, occupyHashes, startWorld, times } from '../support/service.ts';
import { sql } from '../support/sql.ts';
import { until } from '../support/until.ts';

const signIns = starting(async (t, overrides?: Overrides) => {
  const world = await startWorld(t, { ...overrides, ...BEHIND_PROXY });
  const { done } = world.queues.passwords.measures;
  return {
    ...world,
    statusOf: async (as: string, address = '192.0.2.1') =>
      (await world.call('GET /api/v1/user', { as, headers: { 'X-Forwarded-For': address } })).status,
    /** Hashes for the registrations are not counted. */
    countHashes: () => world.queues.passwords.measures.done - done,
  };
});

signIns.each('with token 1 of ada as the password, the name "{0}" is {1} without a hash or a failure', [
  ['Ada', 200], ['aDA', 200], ['1', 200], ['%61da', 200], ['eve', 401], ['2', 401], ['nobody', 401],
], async ({ ada, call, countHashes, eve, issueToken, signIn, statusOf }, [name, expected]) => {
  const token = (await issueToken(ada)).replace('Bearer ', '');
  await issueToken(ada); // token 2 exists, but the username "2" does not mean token 2
  const [before, as] = [countHashes(), basic(name, token)];
  assert.deepEqual(await inTurn(3, () => call('GET /api/v1/user', { as })), times(3, expected));
  await call('POST /api/v1/introspect', { as, form: `token=${token}` });
  assert.equal(countHashes(), before);
  assert.deepEqual(await signIn(ada, eve), [200, 200]);
  await call('DELETE /api/v1/token', { as });
  assert.equal(await statusOf(basic('ada', token)), expected === 200 ? 401 : 200);
}, { failuresPerNameMax: 2 });

// auth/password.test.ts tests that the hash for an unknown user costs as much as any other hash.
signIns.each('each sign-in of {0} costs one hash and one read, also if it is the same as before', [
  ['an unknown user', 'nobody'], ['a disabled user', 'eve'], ['a user with a wrong password', 'ada'],
], async ({ countHashes, database, expect, root, statusOf }, [, username], t) => {
  await expect(200, 'PATCH /api/v1/users/eve', { as: root, json: { disabled: true } });
  const [before, { mock: reads }] = [countHashes(), t.mock.method(database, 'read')];
  for (const count of [1, 2]) {
    assert.equal(await statusOf(basic(username, 'wrong')), 401);
    assert.deepEqual([countHashes() - before, reads.callCount()], [count, count]);
  }
});

signIns.each('two sign-ins within {0} seconds cost {1} hash(es)', [
  [59, 1], [60, 2],
], async ({ ada, clock, countHashes, statusOf }, [elapsedSeconds, hashes]) => {
  await statusOf(ada);
  clock.nowMs += elapsedSeconds * 1000;
  assert.equal(await statusOf(ada), 200);
  assert.equal(countHashes(), hashes);
}, { verifiedSeconds: 60 });

signIns.each('identical sign-ins at once with the {0} password cost one hash for each address', [
  ['right', 'ada-password', 200], ['wrong', 'x', 401],
], async ({ countHashes, statusOf, ...world }, [, password, expected], t) => {
  const reads = t.mock.method(world.services.users, 'findWithPassword');
  const { release, measures } = occupyHashes(world);
  const attempts = Array.from({ length: 20 }, (_, index) =>
    statusOf(basic('ada', password), `192.0.2.${1 + (index % 2)}`));
  await until(() => reads.mock.callCount() === 20 || measures.waiting > 2);
  await Promise.all(reads.mock.calls.map(({ result }) => result));
  await until(() => measures.waiting >= 2);
  release();
  assert.deepEqual(new Set(await Promise.all(attempts)), new Set([expected]));
  // two hashes for the attempts, and the two hashes that occupied the queue
  assert.equal(countHashes(), 2 + 2);
}, { verifiedSeconds: 0, failuresPerNameMax: 5 });

signIns.each('a user who is {0} while the right password is checked is {1}', [
  ['disabled', 401, 'disabled = 1'],
  ['given another password', 401, "password_hash = 'x', password_version = password_version + 1"],
  ['given another address', 200, "email = 'new@example.org'"],
], async ({ ada, database, queues, statusOf }, [, expected, change]) => {
  const { release, measures } = occupyHashes({ queues });
  const pending = statusOf(ada);
  await until(() => measures.waiting === 1);
  await database.write([sql(`UPDATE users SET ${change}`)]);
  release();
  assert.equal(await pending, expected);
});

signIns('a sign-in that is refused because too many passwords wait is no failure', async (world) => {
  const { release } = occupyHashes(world);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    assert.equal(await world.statusOf(basic('ada', `wrong ${attempt}`)), 503);
  }
  const json = { username: 'new', password: 'new-password', email: 'x@example.org' };
  await world.expect('503 busy', 'POST /api/v1/users', { json });
  release();
  assert.equal(await world.statusOf(world.ada), 200);
}, { passwordWaitMs: 0, failuresPerNameMax: 1 });

signIns.each('after 200 registrations and wrong passwords of {0}, {1} sign-in is next', [
  ['200 names', 'a first', (index: number) => `nobody-${index}`],
  ['ten names', 'a first', (index: number) => `nobody-${index % 10}`],
  ['one name at 200 addresses', 'a first', () => 'nobody', (index: number) => `198.51.100.${index}`],
  ['a recent user', "another recent user's", () => 'eve'],
], async ({ ada, call, eve, queues, services, statusOf }, [, which, nameOf, addressOf], t) => {
  if (which !== 'a first') {
    assert.deepEqual([await statusOf(eve), await statusOf(ada)], [200, 200]);
  }
  const { release, measures } = occupyHashes({ queues });
  let [answered, answeredAtRead] = [0, 0];
  const { findWithPassword } = services.users;
  t.mock.method(services.users, 'findWithPassword', (name: NameKey) => {
    answeredAtRead = answered;
    return findWithPassword(name);
  });
  const count = (sent: Promise<unknown>) => sent.then(() => { answered += 1; });
  const flood = Array.from({ length: 200 }, (_, index) => {
    const json = { username: `new-${index}`, password: 'new-password', email: 'x@example.org' };
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    return [
      count(call('POST /api/v1/users', { json, headers })),
      count(statusOf(basic(nameOf(index), `wrong ${index}`), addressOf?.(index))),
    ];
  });
  await until(() => measures.waiting === 400);
  const signIn = statusOf(ada);
  await until(() => measures.waiting === 401);
  release();
  assert.equal(await signIn, 200);
  // The service first hashes the right password, and then reads the account of ada again.
  assert.ok(answeredAtRead <= 10, `${answeredAtRead} were answered`);
  await Promise.all(flood.flat());
}, { verifiedSeconds: 0, failuresPerNameMax: 1_000 });
