/** Tests the counters of failures. api/18-guessing.test.ts tests the limits on failed sign-ins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureLimit } from '../../src/auth/throttle.ts';

const WINDOW_MS = 300_000;
const COUNTERS_MAX = 25_000;

/** @param failures - The number of earlier failures with the key "ann". The limit is three failures. */
function start(failures: number) {
  const clock = { nowMs: 1_000_000 };
  const limit = createFailureLimit(3, () => clock.nowMs, () => {});
  const fail = (times: number) => Array.from({ length: times }, () => limit.reserve('ann'));
  fail(failures);
  return { limit, clock, fail, wait: () => limit.secondsToWait('ann') };
}

test('Releasing a place after its window does not change the next window', () => {
  const { clock, fail, wait } = start(0);
  const releases = fail(1);
  clock.nowMs += WINDOW_MS;
  fail(3);
  releases.forEach((release) => release());
  assert.equal(wait(), 300);
});

for (const [title, others, isTakenBack, expected] of [
  ['a key is kept after 24 999 other keys', COUNTERS_MAX - 1, false, 300],
  ['a key is forgotten after 25 000 other keys', COUNTERS_MAX, false, 0],
  ['attempts that are taken back push out no other counter', COUNTERS_MAX, true, 300],
] as const) {
  test(`Beyond the limit, ${title}`, () => {
    const { limit, wait } = start(3);
    for (let number = 0; number < others; number += 1) {
      const release = limit.reserve(`key ${number}`);
      if (isTakenBack) {
        release();
      }
    }
    assert.equal(wait(), expected);
  });
}
