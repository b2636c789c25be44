/**
 * Tests the cache of verified passwords. The tests of the expiring map cover the lifetime of cached
 * passwords.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';

type Pair = readonly [storedHash: string, password: string];

const start = () => createVerifiedCache(60, () => 1_000_000);

for (const [one, other] of [
  [['ab', 'c'], ['a', 'bc']],
  [['abc', ''], ['', 'abc']],
  [['a', '1:b'], ['a1:', 'b']],
  [['a","b', ''], ['a', 'b']],
  [['a\\', 'b'], ['a', '\\b']],
  [['é', 'a'], ['é', 'aa']],
  [['a', 'b'], ['b', 'a']],
] satisfies readonly (readonly [Pair, Pair])[]) {
  test(`The keys of ${one.join(' + ')} and ${other.join(' + ')} differ`, () => {
    const cache = start();
    assert.notEqual(cache.toKey(...one), cache.toKey(...other));
    assert.equal(cache.toKey(...one), cache.toKey(...one));
  });
}

test('The keys of long passwords with different ends differ', () => {
  const cache = start();
  assert.notEqual(cache.toKey('a', `${'x'.repeat(1023)}y`), cache.toKey('a', `${'x'.repeat(1023)}z`));
});

test('The key of the same password differs in each process', () => {
  assert.notEqual(start().toKey('hash', 'secret'), start().toKey('hash', 'secret'));
});

test('A thousand passwords are cached, and one more evicts only the oldest', () => {
  const cache = start();
  const keys = Array.from({ length: 1_001 }, (_, index) => cache.toKey('hash', String(index)));
  keys.forEach((key) => cache.add(key));
  assert.deepEqual(keys.filter((key) => !cache.has(key)), keys.slice(0, 1));
});
