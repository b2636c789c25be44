import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExpiringMap } from '../../src/auth/expiring-map.ts';

function start() {
  const clock = { nowMs: 1_000_000 };
  const map = createExpiringMap<string, number>({ lifetimeMs: 1_000, entriesMax: 3 }, () => clock.nowMs);
  map.set('a', 7);
  return { clock, map };
}

for (const [laterMs, restMs] of [
  [0, 1_000], [1, 999], [999, 1], [1_000, 0], [-999, 1], [-1_000, 0], [-86_400_000, 0],
] as const) {
  test(`An entry of 1000 ms is ${restMs > 0 ? 'kept' : 'gone'} after ${laterMs} ms of the clock`, () => {
    const { clock, map } = start();
    clock.nowMs += laterMs;
    assert.deepEqual([map.get('a'), map.remainingMs('a')], [restMs > 0 ? 7 : undefined, restMs]);
  });
}

test('Setting an entry again replaces its value and starts its lifetime', () => {
  const { clock, map } = start();
  clock.nowMs += 900;
  map.set('a', 2);
  clock.nowMs += 900;
  assert.equal(map.get('a'), 2);
});

test('A full map drops the entry that was set first; setting an entry again makes it the last', () => {
  const { map } = start();
  ['b', 'c', 'a', 'd'].forEach((key, index) => map.set(key, index));
  assert.deepEqual(['a', 'b', 'c', 'd'].map((key) => map.get(key)), [2, undefined, 1, 3]);
});
