/** Tests the cache of verified passwords. The tests of the expiring map cover the lifetime of entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';

const start = () => createVerifiedCache(60, () => 1_000_000);

const X = 'x'.repeat(1_023);

for (const [one, other] of [
  [['ab', 'c'], ['a', 'bc']],
  [['abc', ''], ['', 'abc']],
  [['a', '1:b'], ['a1:', 'b']],
  [['a","b', ''], ['a', 'b']],
  [['a\\', 'b'], ['a', '\\b']],
  [['é', 'a'], ['é', 'aa']],
  [['a', 'b'], ['b', 'a']],
  [['a', `${X}y`], ['a', `${X}z`]],
] satisfies readonly (readonly [[string, string], [string, string]])[]) {
  test(`The keys of ${one.join(' + ').slice(-9)} and ${other.join(' + ').slice(-9)} differ`, () => {
    const cache = start();
    assert.notEqual(cache.toKey(...one), cache.toKey(...other));
    assert.equal(cache.toKey(...one), cache.toKey(...one));
    assert.notEqual(cache.toKey(...one), start().toKey(...one), 'each process has its own keys');
  });
}

test('A thousand passwords are cached, and one more evicts only the oldest', () => {
  const cache = start();
  const keys = Array.from({ length: 1_001 }, (_, index) => cache.toKey('hash', String(index)));
  keys.forEach((key) => cache.add(key));
  assert.deepEqual(keys.filter((key) => !cache.has(key)), keys.slice(0, 1));
});
