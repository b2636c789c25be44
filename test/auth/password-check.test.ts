/** Tests password checks in situations that a client cannot provoke over a socket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordCheck } from '../../src/auth/password-check.ts';
import type { PasswordHasher } from '../../src/auth/password.ts';
import { createThrottle } from '../../src/auth/throttle.ts';
import { toNameKey } from '../../src/model/name.ts';
import type { Account, PasswordHash, User } from '../../src/model/user.ts';
import { each } from '../support/each.ts';

const name = toNameKey('ann');
const address = '192.0.2.1';

/** Starts a check that allows two wrong passwords. @param verify - Compares a password with a hash. */
function start(verify: PasswordHasher['verify']) {
  const clock = () => 0;
  const throttle = createThrottle({ failuresPerNameMax: 2, failuresPerNetworkMax: 9 }, clock, () => {});
  let account: Account | undefined;
  const { checkPassword, lookUps } = createPasswordCheck({
    users: { findWithPassword: async () => account },
    passwords: { verify, dummyHash: 'dummy' as PasswordHash },
    throttle, clock, verifiedSeconds: 60,
  });
  return {
    lookUps,
    check: (password = 'secret', isWanted = true) =>
      checkPassword(name, password, { address, isWanted: () => isWanted }),
    setHash(passwordHash: string): void {
      account = { user: {} as User, passwordHash: passwordHash as PasswordHash, passwordVersion: 1 };
    },
    /** True if the check has counted a failed sign-in. */
    isCounted: () => {
      void throttle(address, name).attempt(async () => {}, () => true);
      return throttle(address, name).secondsToWait() > 0;
    },
  };
}

test('A check that fails because of an outage does not count as a wrong password', async () => {
  const { check, isCounted } = start(async () => Promise.reject(new Error('no memory for scrypt')));
  await assert.rejects(check(), /no memory/);
  assert.equal(isCounted(), false);
});

each('Two clients with the same password, connected or not ({0}), both get {1}', [
  [[false, false], 'busy'], [[false, true], 'rejected'], [[true, false], 'rejected'],
], async ([stayers, expected]) => {
  const turn = Promise.withResolvers<void>();
  const { check, isCounted } = start(async (_password, _stored, client) => {
    await turn.promise;
    return client.isWanted() ? { kind: 'done', result: false } : { kind: 'busy', retryAfterSeconds: 1 };
  });
  const outcomes = stayers.map((stays) => check('secret', stays));
  turn.resolve();
  assert.deepEqual((await Promise.all(outcomes)).map(({ kind }) => kind), [expected, expected]);
  assert.equal(isCounted(), expected === 'rejected'); // an unchecked password does not count as wrong
});

const X = 'x'.repeat(1_023);

each('The hash and right password {0} are remembered, and {1} are not', [
  [['ab', 'c'], ['a', 'bc']],
  [['a', '1:b'], ['a1:', 'b']],
  [['a","b', ''], ['a', 'b']],
  [['a\\', 'b'], ['a', '\\b']],
  [['é', 'a'], ['é', 'aa']],
  [['a', 'b'], ['b', 'a']],
  [['a', `${X}y`], ['a', `${X}z`]],
], async ([one, other]) => {
  const { lookUps, setHash, check } = start(async () => ({ kind: 'done', result: true }));
  for (const [[hash, password], hits, misses] of [[one, 0, 1], [one, 1, 1], [other, 1, 2]] as const) {
    setHash(hash);
    assert.equal((await check(password)).kind, 'done');
    assert.deepEqual(lookUps, { hits, misses });
  }
});

test('A thousand passwords are remembered, and one more evicts only the oldest', async () => {
  const { lookUps, setHash, check } = start(async () => ({ kind: 'done', result: true }));
  setHash('hash');
  const passwords = Array.from({ length: 1_001 }, (_, index) => String(index));
  for (const password of [...passwords, ...passwords.slice(1)]) {
    await check(password);
  }
  assert.deepEqual(lookUps, { hits: 1_000, misses: 1_001 });
  await check(passwords[0]);
  assert.deepEqual(lookUps, { hits: 1_000, misses: 1_002 });
});
