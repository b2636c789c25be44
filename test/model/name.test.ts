import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIdText, toNameKey } from '../../src/model/name.ts';

for (const [name, key] of [
  ['', ''],
  ['Ann_B-7@x+y.z', 'ann_b-7@x+y.z'],
  ['ÉCOLE', 'école'],
  ['Жанна', 'жанна'],
  ['𐐀𐐨', '𐐨𐐨'],
  ['日本', '日本'],

  // Composed and decomposed are one name.
  ['e\u0301cole', '\u00e9cole'],
  ['E\u0301cole', '\u00e9cole'],
  ['\u212b', '\u00e5'],
  ['\u1e9b\u0323', '\u1e9b\u0323'],

  // Simple lower case: one code point for one.
  ['\u0130', 'i'],
  ['I\u0307', 'i'],
  ['\u0130STANBUL', 'istanbul'],
  ['\u0130\u0301', '\u00ed'],
  ['\u0131', '\u0131'],
  ['STRASSE', 'strasse'],
  ['STRA\u1e9eE', 'stra\u00dfe'],
  ['\u212a', 'k'],
  ['\u01c4\u01c5\u01c6', '\u01c6\u01c6\u01c6'],

  // A sigma does not depend on its neighbours.
  ['ΟΔΟΣ', 'οδοσ'],
  ['Σ', 'σ'],
  ['ΑΣ.', 'ασ.'],
] as const) {
  test(`The key of ${JSON.stringify(name)} is ${JSON.stringify(key)}`, () => {
    assert.equal(toNameKey(name), key);
  });
}

test('The key of a key is itself, for every character of the planes in which there are cases', () => {
  const keys = Array.from({ length: 0x20000 }, (_, codePoint) => toNameKey(String.fromCodePoint(codePoint)));
  assert.deepEqual(keys.filter((key) => toNameKey(key) !== key), []);
});

test('A part of a name that ends in a sigma is found in the key of the name', () => {
  assert.equal(toNameKey('ΟΔΟΣΕΙΣ').includes(toNameKey('ΟΔΟΣ')), true);
});

for (const [text, expected] of [
  ['0', true],
  ['0042', true],
  ['9'.repeat(400), true],
  ['', false],
  ['-1', false],
  ['1.0', false],
  ['1e3', false],
  ['0x1', false],
  [' 1', false],
  ['1\n', false],
  ['1a', false],
  ['١', false],
] as const) {
  test(`A path reads ${JSON.stringify(text.slice(0, 9))} as ${expected ? 'an id' : 'a name'}`, () => {
    assert.equal(isIdText(text), expected);
  });
}
