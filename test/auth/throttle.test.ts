import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureLimit } from '../../src/auth/throttle.ts';

const WINDOW_MS = 300_000;
const COUNTERS_MAX = 25_000;

/** @param failures - The number of earlier failures of the key "ann", which may fail three times. */
function start(failures: number) {
  const clock = { nowMs: 1_000_000 };
  const reached: string[] = [];
  const limit = createFailureLimit(3, () => clock.nowMs, (key) => reached.push(key));
  const fail = (times: number) => Array.from({ length: times }, () => limit.reserve('ann'));
  fail(failures);
  return { limit, clock, reached, fail, wait: () => limit.secondsToWait('ann') };
}

for (const [failures, expected] of [[0, 0], [2, 0], [3, 300], [4, 300]] as const) {
  test(`After ${failures} failures, with a limit of 3, the wait is ${expected} seconds`, () => {
    assert.equal(start(failures).wait(), expected);
  });
}

for (const [elapsedMs, expected] of [[1, 300], [1_000, 299], [299_999, 1], [300_000, 0]] as const) {
  test(`${elapsedMs} ms after the first of 3 failures, the wait is ${expected} seconds`, () => {
    const { clock, fail, wait } = start(1);
    clock.nowMs += elapsedMs;
    fail(2); // failures after the first do not prolong the window
    assert.equal(wait(), expected);
  });
}

test('Attempts that are taken back push out no other counter', () => {
  const { limit, wait } = start(3);
  for (let name = 0; name <= COUNTERS_MAX; name += 1) {
    limit.reserve(`name ${name}`)();
  }
  assert.equal(wait(), 300);
});

test('Releasing a place after its window does not change the next window', () => {
  const { clock, fail, wait } = start(0);
  const releases = fail(1);
  clock.nowMs += WINDOW_MS;
  fail(3);
  releases.forEach((release) => release());
  assert.equal(wait(), 300);
});

test('Reaching the limit is reported once in a window, and a new window allows as many failures', () => {
  const { clock, reached, fail, wait } = start(2);
  for (const count of [1, 2]) {
    assert.deepEqual([wait(), reached.length], [0, count - 1]);
    fail(4);
    assert.deepEqual([wait(), reached.length], [300, count]);
    clock.nowMs += WINDOW_MS;
    fail(2);
  }
});

for (const [others, expected] of [[COUNTERS_MAX - 1, 300], [COUNTERS_MAX, 0]] as const) {
  test(`A refused key is ${expected > 0 ? 'kept' : 'forgotten'} after ${others} other keys`, () => {
    const { limit, clock, fail, wait } = start(3);
    clock.nowMs += WINDOW_MS;
    fail(3); // the failures begin a new window, so the counter counts as new
    for (let number = 0; number < others; number += 1) {
      limit.reserve(`key ${number}`);
    }
    assert.equal(wait(), expected);
  });
}
