import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChangeBudget } from '../../src/auth/change-budget.ts';
import type { UserId } from '../../src/model/user.ts';
import { each } from '../support/each.ts';

const HOUR_MS = 3_600_000;
const [ann, bob] = [1 as UserId, 2 as UserId];

function start(perHourMax: number) {
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const spend = createChangeBudget(perHourMax, () => clock.nowMs);
  /** @returns The number of changes before the first refusal. */
  const spendAll = (id: UserId, signIn: 'password' | 'token' = 'password') => {
    let count = 0;
    while (count < 3 * perHourMax && spend(id, signIn) === 0) {
      count += 1;
    }
    return count;
  };
  return { clock, spend, spendAll };
}

each('of a budget of {0}, callers with a token may spend {1}, and the owner all', [
  [1, 1], [2, 1], [5, 4], [7, 6], [10, 9], [20_000, 18_000],
], ([perHourMax, withToken]) => {
  const { spend, spendAll } = start(perHourMax);
  assert.equal(spendAll(ann, 'token'), withToken);
  assert.equal(spendAll(ann, 'password'), perHourMax - withToken);
  assert.ok(Math.abs(spend(ann, 'password') - 3_600 / perHourMax) <= 1);
});

each('a spent budget of {0} allows {2} changes after {1} ms of the clock', [
  [20_000, HOUR_MS / 100, 200], [20_000, HOUR_MS, 20_000], [20_000, 2 * HOUR_MS, 20_000],
  [5, -60_000, 0], [5, -HOUR_MS, 5],
], ([perHourMax, laterMs, count]) => {
  const { clock, spendAll } = start(perHourMax);
  assert.deepEqual([spendAll(ann), spendAll(bob), spendAll(ann)], [perHourMax, perHourMax, 0]);
  clock.nowMs += laterMs;
  assert.equal(spendAll(ann), count);
});

each('after {0}, a change is allowed when the wait of a refusal is over', [
  ['a hundred refused changes, which are not counted', 100, 0],
  ['the clock was set back', 1, -HOUR_MS / 3],
], ([, refusals, laterMs]) => {
  const { clock, spend, spendAll } = start(60);
  spendAll(ann);
  clock.nowMs += laterMs;
  assert.deepEqual(new Set(Array.from({ length: refusals }, () => spend(ann, 'password'))), new Set([60]));
  clock.nowMs += 60_000;
  assert.equal(spend(ann, 'password'), 0);
});

test('a budget of 0 sets no limit', () => {
  const { spend } = start(0);
  assert.ok(Array.from({ length: 100_000 }, () => spend(ann, 'password')).every((wait) => wait === 0));
});

test('beyond 100 000 users, the one who made no change for the longest time is forgotten', () => {
  const { spend, spendAll } = start(2);
  for (let id = ann; id <= 100_000; id = id + 1 as UserId) {
    assert.equal(spend(id, 'password'), 0);
  }
  assert.equal(spend(ann, 'password'), 0);
  assert.equal(spend(100_001 as UserId, 'password'), 0);
  assert.deepEqual([spendAll(ann), spendAll(bob)], [0, 2]);
});
