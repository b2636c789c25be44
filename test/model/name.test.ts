import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import { findUsernameFault } from '../../src/resources/rules.ts';
import { each } from '../support/each.ts';

each('The key of "{0}" is "{1}"', [
  ['', ''], ['Ann_B-7@x+y.z', 'ann_b-7@x+y.z'], ['ÉCOLE', 'école'], ['Жанна', 'жанна'], ['𐐀𐐨', '𐐨𐐨'],
  ['日本', '日本'],

  // The composed and the decomposed form of a name have the same key.
  ['e\u0301cole', '\u00e9cole'], ['E\u0301cole', '\u00e9cole'], ['\u212b', '\u00e5'],
  ['\u1e9b\u0323', '\u1e69'],

  // The key has plain letters in place of full-width letters, ligatures and mathematical letters.
  ['ｒｏｏｔ', 'root'], ['ﬁle', 'file'], ['𝐑oot', 'root'],

  // Names are compared after full case folding.
  ['\u0130', 'i\u0307'], ['I\u0307', 'i\u0307'], ['\u0131', 'i'], ['STRASSE', 'strasse'],
  ['Straße', 'strasse'], ['STRA\u1e9eE', 'strasse'], ['\u212a', 'k'], ['\u01c4\u01c5\u01c6', 'dždždž'],
  ['ΟΔΟΣ', 'οδοσ'], ['οδος', 'οδοσ'], ['Σ', 'σ'], ['ΑΣ.', 'ασ.'], ['ᾼ', 'αι'], ['Ꭰ', 'ꭰ'],

  // The key has no invisible characters.
  ['n\u00e9\u200dtes\ufe0f', 'n\u00e9tes'], ['\u00adRoot\u3164', 'root'], ['\u200d', ''],
  ['\u1fb3\u200d\u0301', '\u03ac\u03b9'],

  // Even a text that is too long for a name has a key.
  ['É'.repeat(255), 'é'.repeat(255)], ['É'.repeat(511), 'É'.repeat(511)],
], ([name, key]) => assert.equal(toNameKey(name), key));

const CODE_POINTS = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /[^\p{Cn}\p{Co}\p{Cs}]/u.test(character));

test('A key is its own key, for every character, and for cased characters with a mark', () => {
  const marks = CODE_POINTS.filter((character) => /[\u0300-\u036f]/u.test(character));
  const bases = CODE_POINTS.filter((character) => /[\p{Changes_When_Casefolded}]/u.test(character));
  const names = [...CODE_POINTS, ...bases.flatMap((base) => marks.map((mark) => base + mark))];
  assert.ok(names.length > 300_000);
  assert.deepEqual(names.filter((name) => toNameKey(toNameKey(name)) !== toNameKey(name)), []);
});

test('Visible characters have the same key exactly if they match in a /iu expression, except "ı"', () => {
  const special = /[-\\^\]\p{Default_Ignorable_Code_Point}]/u;
  const plain = CODE_POINTS.filter((character) => !special.test(character));
  const composed = plain.filter((character) => character.normalize('NFKC') === character);
  const keys = Map.groupBy(composed, toNameKey);
  const strangers = [...keys.values()].flatMap(([first = '', ...others]) => {
    const isSame = new RegExp(`^[${first}]$`, 'iu');
    return others.filter((other) => !isSame.test(other));
  });
  assert.deepEqual(strangers, ['ı']);
  const cased = composed.filter((character) => /[\p{Cased}\p{Changes_When_Casefolded}]/u.test(character));
  const folded = [...keys.keys()].filter((key) => Array.from(key).length === 1 && /\p{Cased}/u.test(key));
  const all = cased.join('');
  const parted = folded.filter((key) => {
    const same = all.match(new RegExp(`[${key}]`, 'giu')) ?? [];
    return same.some((character) => toNameKey(character) !== key);
  });
  assert.deepEqual(parted, []);
});

each('The key of {0} contains the key of its part {1}', [
  ['Straße', 'STRASS'], ['Straße', 'ras'], ['ΝΙΚΟΣ-1', 'νικος'], ['ΟΔΟΣΕΙΣ', 'ΟΔΟΣ'],
  ['İzmir', 'İz'], ['ﬁle', 'F'],
], ([name, part]) => assert.ok(toNameKey(name).includes(toNameKey(part))));

test('The key of 26 000 characters takes < 100 ms of processor time, even if NFKC makes them marks', () => {
  const before = process.cpuUsage();
  toNameKey(`a${'\u0301\u0316\u0315\u0345\u031b'.repeat(5)}\uff9e`.repeat(1_000));
  assert.ok(process.cpuUsage(before).user < 100_000);
});

test('The key of an accepted username holds no white space', () => {
  const accepted = CODE_POINTS.filter((character) => findUsernameFault(character) === undefined);
  assert.deepEqual(accepted.filter((name) => /\p{White_Space}/u.test(toNameKey(name))), []);
  assert.ok(accepted.length > 100_000);
});
