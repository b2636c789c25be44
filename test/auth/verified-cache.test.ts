import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVerifiedCache, type CheckKey, type VerifiedCache } from '../../src/auth/verified-cache.ts';

const ENTRIES_MAX = 1000;

type Check = readonly [storedHash: string, password: string];

for (const [one, other] of [
  [['ab', 'c'], ['a', 'bc']],
  [['abc', ''], ['', 'abc']],
  [['a', '1:b'], ['a1:', 'b']],
  [['a1:b', ''], ['a', 'b']],
  [['é', 'a'], ['é', 'aa']],
  [['a', 'b'], ['b', 'a']],
  [['a', 'x'.repeat(1024)], ['a', 'x'.repeat(1023)]],
] satisfies readonly (readonly [Check, Check])[]) {
  test(`The keys of ${toTitle(one)} and ${toTitle(other)} differ`, () => {
    const cache = createVerifiedCache(60, () => 0);
    assert.notEqual(cache.toKey(...one), cache.toKey(...other));
    assert.equal(cache.toKey(...one), cache.toKey(...one));
  });
}

test('The key of the same password differs in each process', () => {
  const [one, other] = [createVerifiedCache(60, () => 0), createVerifiedCache(60, () => 0)];
  assert.notEqual(one.toKey('hash', 'secret'), other.toKey('hash', 'secret'));
});

test('A password is not cached before it is added', () => {
  const cache = createVerifiedCache(60, () => 0);
  assert.equal(cache.has(cache.toKey('hash', 'secret')), false);
});

for (const [lifetimeSeconds, elapsedMs, expected] of [
  [60, -60_001, false], // the clock was set back
  [60, 0, true],
  [60, 59_999, true],
  [60, 60_000, false],
  [1, 999, true],
  [1, 1000, false],
  [0, 0, false],
] as const) {
  test(`After ${elapsedMs} ms of ${lifetimeSeconds} s, a password is ${expected ? 'cached' : 'gone'}`, () => {
    const { cache, clock } = createWorld(lifetimeSeconds);
    const key = cache.toKey('hash', 'secret');
    cache.add(key);
    clock.nowMs += elapsedMs;
    assert.equal(cache.has(key), expected);
  });
}

test('A look-up does not prolong the lifetime, but adding again does', () => {
  const { cache, clock } = createWorld(60);
  const [looked, added] = [cache.toKey('hash', 'looked'), cache.toKey('hash', 'added')];
  [looked, added].forEach((key) => cache.add(key));
  clock.nowMs += 59_999;
  assert.equal(cache.has(looked), true);
  cache.add(added);
  clock.nowMs += 1;
  assert.deepEqual([cache.has(looked), cache.has(added)], [false, true]);
});

test('A thousand passwords are cached, and one more evicts only the oldest', () => {
  const { cache } = createWorld(60);
  const keys = toKeys(cache);
  keys.forEach((key) => cache.add(key));
  assert.equal(keys.every((key) => cache.has(key)), true);
  cache.add(cache.toKey('hash', 'one more'));
  assert.deepEqual(keys.filter((key) => !cache.has(key)), keys.slice(0, 1));
});

test('A password that is added again is no longer the oldest, and evicts nothing', () => {
  const { cache } = createWorld(60);
  const keys = toKeys(cache);
  [...keys, ...keys.slice(0, 1)].forEach((key) => cache.add(key));
  assert.equal(keys.every((key) => cache.has(key)), true);
  cache.add(cache.toKey('hash', 'one more'));
  assert.deepEqual(keys.filter((key) => !cache.has(key)), keys.slice(1, 2));
});

function createWorld(lifetimeSeconds: number) {
  const clock = { nowMs: 1_000_000 };
  return { cache: createVerifiedCache(lifetimeSeconds, () => clock.nowMs), clock };
}

/** The keys of as many different passwords as the cache can hold. */
function toKeys(cache: VerifiedCache): readonly CheckKey[] {
  return Array.from({ length: ENTRIES_MAX }, (_, index) => cache.toKey('hash', String(index)));
}

function toTitle([storedHash, password]: Check): string {
  return password.length > 20
    ? `a password of ${password.length} characters`
    : `"${storedHash}" + "${password}"`;
}
