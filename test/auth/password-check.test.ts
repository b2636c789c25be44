/** Tests the cases of a password check that a client cannot provoke over a socket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordCheck } from '../../src/auth/password-check.ts';
import type { PasswordHasher } from '../../src/auth/password.ts';
import { createThrottle } from '../../src/auth/throttle.ts';
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';
import { toNameKey } from '../../src/model/name.ts';
import type { PasswordHash } from '../../src/model/user.ts';

const name = toNameKey('ann');
const address = '192.0.2.1';

/** Starts a check that allows two wrong passwords. @param verify - Compares a password with a hash. */
function start(verify: PasswordHasher['verify']) {
  const clock = () => 0;
  const throttle = createThrottle({ failuresPerNameMax: 2, failuresPerNetworkMax: 9 }, clock, () => {});
  const check = createPasswordCheck({
    users: { findWithPassword: async () => undefined },
    passwords: { verify, dummyHash: '' as PasswordHash },
    throttle, verified: createVerifiedCache(60, clock), onFailure: () => {},
  });
  return {
    check: (isWanted = true) =>
      check(name, 'secret', { address, isWanted: () => isWanted }),
    /** True if the check has counted a failed sign-in. */
    isCounted: () => {
      throttle(address, name).reserve();
      return throttle(address, name).secondsToWait() > 0;
    },
  };
}

test('A check that fails because of an outage does not count as a wrong password', async () => {
  const { check, isCounted } = start(async () => Promise.reject(new Error('no memory for scrypt')));
  await assert.rejects(check(), /no memory/);
  assert.equal(isCounted(), false);
});

for (const [stayers, expected] of [
  [[false, false], 'busy'], [[false, true], 'rejected'], [[true, false], 'rejected'],
] as const) {
  test(`If of two clients with the same password ${stayers} stay, both get ${expected}`, async () => {
    const turn = Promise.withResolvers<void>();
    const { check, isCounted } = start(async (_password, _stored, client) => {
      await turn.promise;
      return client.isWanted() ? { kind: 'done', result: false } : { kind: 'busy', retryAfterSeconds: 1 };
    });
    const outcomes = stayers.map((stays) => check(stays));
    turn.resolve();
    assert.deepEqual((await Promise.all(outcomes)).map(({ kind }) => kind), [expected, expected]);
    assert.equal(isCounted(), expected === 'rejected'); // a dropped hash is no failure
  });
}
