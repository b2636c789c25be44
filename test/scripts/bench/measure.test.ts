import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, percentile } from '../../../scripts/bench/measure.ts';

const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

for (const [numbers, share, expected] of [
  [hundred, 0.5, 50],
  [hundred, 0.99, 99],
  [hundred, 0.991, 100],
  [hundred, 1, 100],
  [hundred, 0.001, 1],
  [[1, 2, 3], 0.5, 2],
  [[1, 2, 3], 0.99, 3],
  [[7], 0.5, 7],
  [[], 0.5, NaN],
] as const) {
  test(`percentile ${share} of ${numbers.length} numbers is ${expected}`, () => {
    assert.equal(percentile(numbers, share), expected);
  });
}

for (const [numbers, expected] of [
  [[], NaN],
  [[3], 3],
  [[9, 1], 5],
  [[9, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
] as const) {
  test(`median of ${JSON.stringify(numbers)} is ${expected}`, () => {
    assert.equal(median(numbers), expected);
  });
}
