import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExpiringMap } from '../../src/auth/expiring-map.ts';

function start(entriesMax = 3) {
  const clock = { nowMs: 1_000_000 };
  const map = createExpiringMap<string, number>({ lifetimeMs: 1_000, entriesMax, clock: () => clock.nowMs });
  return { clock, map };
}

for (const [laterMs, isKept] of [
  [0, true], [999, true], [1_000, false], [-60_000, true], [-60_001, false],
] as const) {
  test(`An entry of 1000 ms is ${isKept ? 'kept' : 'gone'} after ${laterMs} ms of the clock`, () => {
    const { clock, map } = start();
    map.set('a', 7);
    clock.nowMs += laterMs;
    assert.equal(map.get('a'), isKept ? 7 : undefined);
    assert.equal(map.remainingMs('a'), isKept ? 1_000 - laterMs : 0);
  });
}

test('Setting an entry again replaces its value and starts its lifetime', () => {
  const { clock, map } = start();
  map.set('a', 1);
  clock.nowMs += 900;
  map.set('a', 2);
  clock.nowMs += 900;
  assert.equal(map.get('a'), 2);
});

test('A full map drops the entry that was set first; setting an entry again makes it the last', () => {
  const { map } = start();
  ['a', 'b', 'c', 'a', 'd'].forEach((key, index) => map.set(key, index));
  assert.deepEqual(['a', 'b', 'c', 'd'].map((key) => map.get(key)), [3, undefined, 2, 4]);
});
