/**
 * The duration of a refused sign-in must not reveal whether the user exists. The test measures processor time
 * of all threads, which does not depend on the load of the machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM } from '../../src/auth/client.ts';
import { createAuthenticator, type Authenticate } from '../../src/auth/authenticate.ts';
import { createPasswordCheck } from '../../src/auth/password-check.ts';
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';
import { createPasswordHasher } from '../../src/auth/password.ts';
import { createThrottle } from '../../src/auth/throttle.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { schema } from '../../src/stores/schema.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserChanges } from '../../src/stores/user-changes.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { toProgramOrigin } from '../../src/model/audit.ts';
import { createFairQueue } from '../../src/scheduling/fair-queue.ts';
import { basic } from '../support/http-client.ts';
import { openTestDatabase } from '../support/database.ts';
import { QUOTAS } from '../support/quotas.ts';

/** A tenth of the real cost, so that a hundred checks take about a second. */
const COST = { logN: 13, r: 8, p: 1 };
const TRIES = 50;
const CLIENT = { address: '192.0.2.1', isWanted: () => true };
/** Other processes can disturb a round; a real difference shows in every round. */
const ROUNDS_MAX = 5;

test('Sign-ins of unknown, known and disabled users differ by at most 10 % in processor time', async (t) => {
  const database = await openTestDatabase(t);
  await createSchema(database, schema);
  const clock = () => 0;
  const queue = createFairQueue({ durationMsGuessed: 150, runningMax: 2, waitMsMax: 5_000 });
  const passwords = createPasswordHasher(queue, COST);
  const [users, tokens] = [createUserStore(database), createTokenStore(database, QUOTAS)];
  for (const username of ['known', 'disabled']) {
    const hashing = await passwords.hash('right', PROGRAM);
    assert(hashing.kind === 'done');
    const account = {
      username, email: '', passwordHash: hashing.result, isAdmin: false, dateCreated: toTimestamp(0),
    };
    const outcome = await users.insert(account, toProgramOrigin(clock));
    assert(outcome.kind === 'changed');
    const to = { isDisabled: username === 'disabled' };
    await createUserChanges(database, QUOTAS).update(outcome.result.user, to, toProgramOrigin(clock));
  }
  const limits = { failuresPerNameMax: 1000, failuresPerAddressMax: 1000 };
  const throttle = createThrottle(limits, clock, () => {});
  const verified = createVerifiedCache(60, clock);
  const authenticate = createAuthenticator({
    users,
    tokens,
    onUseUnrecorded: () => {},
    checkPassword: createPasswordCheck({
      passwords, throttle, verified, onFailure: () => {},
    }),
    throttle,
    clock,
  });
  const ratios: number[] = [];
  while (ratios.every((ratio) => ratio > 1.1) && ratios.length < ROUNDS_MAX) {
    ratios.push(await measure(authenticate, ratios.length));
  }
  assert.ok(ratios.some((ratio) => ratio <= 1.1), ratios.join(' '));
});

/** @returns The excess of the largest median over the smallest. */
async function measure(authenticate: Authenticate, round: number): Promise<number> {
  const microseconds: Record<string, number[]> = { unknown: [], known: [], disabled: [] };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    for (const [username, taken] of Object.entries(microseconds)) {
      const before = process.cpuUsage();
      const outcome = await authenticate(basic(username, `wrong ${round} ${attempt}`), CLIENT);
      const { user, system } = process.cpuUsage(before);
      taken.push(user + system);
      assert.deepEqual(outcome, { kind: 'rejected' });
    }
  }
  const medians =
    Object.values(microseconds).map((taken) => taken.toSorted((a, b) => a - b)[TRIES / 2] ?? NaN);
  return Math.max(...medians) / Math.min(...medians);
}
