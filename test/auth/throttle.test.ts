/** api/18-guessing.test.ts tests the limits on failed sign-ins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureLimit } from '../../src/auth/throttle.ts';
import { each } from '../support/each.ts';

const WINDOW_MS = 300_000;
const COUNTERS_MAX = 25_000;

/** @param failures - The number of earlier failures with the key "ann". */
async function start(failures: number) {
  const clock = { nowMs: 1_000_000 };
  const limit = createFailureLimit(3, () => clock.nowMs, () => {});
  const attempt = (key: string, isFailure: boolean, run = async () => {}) =>
    limit.attempt(key, run, () => isFailure);
  await Promise.all(Array.from({ length: failures }, () => attempt('ann', true)));
  return { clock, attempt, wait: () => limit.secondsToWait('ann') };
}

test('An attempt that succeeds after its window does not change the next window', async () => {
  const { clock, attempt, wait } = await start(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = attempt('ann', false, () => promise);
  clock.nowMs += WINDOW_MS;
  await Promise.all([1, 2, 3].map(() => attempt('ann', true)));
  resolve();
  await late;
  assert.equal(wait(), 300);
});

each('Beyond the limit, {0}', [
  ['a key is kept after 24 999 other keys', COUNTERS_MAX - 1, true, 300],
  ['a key is forgotten after 25 000 other keys', COUNTERS_MAX, true, 0],
  ['attempts that succeed push out no other counter', COUNTERS_MAX, false, 300],
], async ([, others, isFailure, expected]) => {
  const { attempt, wait } = await start(3);
  for (let number = 0; number < others; number += 1) {
    await attempt(`key ${number}`, isFailure);
  }
  assert.equal(wait(), expected);
});
