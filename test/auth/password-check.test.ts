/** The tests create situations that a client cannot create over a socket. */
import assert from 'node:assert/strict';
import { toNameKey } from '../../src/model/name.ts';
import type { Account, PasswordHash, User } from '../../src/model/user.ts';
import { startCore } from '../support/core.ts';
import { starting } from '../support/each.ts';

const checks = starting(async (t) => {
  const { services } = await startCore(t, { overrides: { failuresPerNameMax: 2 } });
  let account: Account | undefined;
  t.mock.method(services.users, 'findWithPassword', async () => account);
  return {
    lookUps: services.lookUps,
    verify: t.mock.method(services.passwords, 'verify').mock,
    check: (password = 'secret', isWanted = true) => services.checkPassword(
      toNameKey('ann'), password, { address: '192.0.2.1', isWanted: () => isWanted },
    ),
    setHash(passwordHash: string): void {
      account = { user: {} as User, passwordHash: passwordHash as PasswordHash, passwordVersion: 1 };
    },
  };
});

checks('A check that fails because of an outage does not count as a wrong password', async (world) => {
  world.verify.mockImplementationOnce(() => Promise.reject(new Error('no memory for scrypt')));
  await assert.rejects(world.check(), /no memory/);
  assert.deepEqual([(await world.check()).kind, (await world.check()).kind], ['rejected', 'rejected']);
});

checks.each('Two clients with the same password, connected or not ({0}), both get {1}', [
  [[false, false], 'busy'], [[false, true], 'rejected'], [[true, false], 'rejected'],
], async ({ check, verify }, [stayers, expected]) => {
  const turn = Promise.withResolvers<void>();
  verify.mockImplementation(async (_password, _stored, client) => {
    await turn.promise;
    return client.isWanted() ? { kind: 'done', result: false } : { kind: 'busy', retryAfterSeconds: 1 };
  });
  const outcomes = stayers.map((stays) => check('secret', stays));
  turn.resolve();
  assert.deepEqual((await Promise.all(outcomes)).map(({ kind }) => kind), [expected, expected]);
  // an unchecked password does not count as wrong
  const later = ['rejected', expected === 'busy' ? 'rejected' : 'throttled'];
  assert.deepEqual([(await check()).kind, (await check()).kind], later);
});

const X = 'x'.repeat(1_023);

checks.each('The hash and right password {0} are remembered, and {1} are not', [
  [['ab', 'c'], ['a', 'bc']],
  [['a', '1:b'], ['a1:', 'b']],
  [['a","b', ''], ['a', 'b']],
  [['a\\', 'b'], ['a', '\\b']],
  [['é', 'a'], ['é', 'aa']],
  [['a', 'b'], ['b', 'a']],
  [['a', `${X}y`], ['a', `${X}z`]],
], async ({ check, lookUps, setHash, verify }, [one, other]) => {
  verify.mockImplementation(async () => ({ kind: 'done', result: true }));
  for (const [[hash, password], hits, misses] of [[one, 0, 1], [one, 1, 1], [other, 1, 2]] as const) {
    setHash(hash);
    assert.equal((await check(password)).kind, 'done');
    assert.deepEqual(lookUps, { hits, misses });
  }
});

checks('A thousand passwords are remembered, and one more evicts only the oldest', async (world) => {
  world.verify.mockImplementation(async () => ({ kind: 'done', result: true }));
  world.setHash('hash');
  const passwords = Array.from({ length: 1_001 }, (_, index) => String(index));
  for (const password of [...passwords, ...passwords.slice(1)]) {
    await world.check(password);
  }
  assert.deepEqual(world.lookUps, { hits: 1_000, misses: 1_001 });
  await world.check(passwords[0]);
  assert.deepEqual(world.lookUps, { hits: 1_000, misses: 1_002 });
});
