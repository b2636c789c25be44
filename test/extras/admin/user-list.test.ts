import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUserList } from '../../../src/extras/admin/user-list.ts';
import { each } from '../../support/each.ts';

const parse = (text: string) => parseUserList(Buffer.from(text, 'utf8'));

each('{0}: two users', [
  ['plain lines', 'ada,ada@example.org\neve,eve@example.org\n'],
  ['a heading', 'username,email\nada,ada@example.org\neve,eve@example.org'],
  ['a byte order mark', '\ufeffUsername,Email\nada,ada@example.org\neve,eve@example.org'],
  ['CRLF', 'ada,ada@example.org\r\neve,eve@example.org\r\n'],
  ['CR alone', 'ada,ada@example.org\reve,eve@example.org'],
  ['quotes', '"ada","ada@example.org"\n"eve",eve@example.org'],
  ['white space', ' ada , ada@example.org\t\n "eve" , eve@example.org '],
  ['blank lines', '\n\nada,ada@example.org\n \n\neve,eve@example.org\n\n'],
], ([, text]) => {
  const { users, faults, repetitions } = parse(text);
  assert.deepEqual([faults, repetitions], [[], []]);
  assert.deepEqual(users.map(({ username, email }) => [username, email]), [
    ['ada', 'ada@example.org'], ['eve', 'eve@example.org'],
  ]);
});

each('{0} is a fault of its line, and of no other', [
  ['a missing column', 'ada', /^Line 2: expected username,email$/],
  ['a column too many', 'ada,ada@example.org,8b', /^Line 2: expected username,email$/],
  ['semicolons', 'ada;ada@example.org', /^Line 2: expected username,email$/],
  ['a quote that is not closed', '"ada,ada@example.org', /^Line 2: expected username,email$/],
  ['text behind a quote', '"ada"x,ada@example.org', /^Line 2: expected username,email$/],
  ['an empty name', ',ada@example.org', /^Line 2: username must/],
  ['a name that the rules refuse', '12,ada@example.org', /^Line 2: username must/],
  ['a name of two scripts', 'rоot,ada@example.org', /^Line 2: username must use only one writing/],
  ['a name that could not sign in', `a${'\u0301'.repeat(32)},a@x.org`, /^Line 2: username must be UTF-8/],
  ['a name with a quote', '"a""b",ada@example.org', /^Line 2: username must/],
  ['no address', 'ada,ada', /^Line 2: email must/],
  ['an empty address', 'ada,', /^Line 2: email must/],
  ['a long line', `${'x'.repeat(100_000)},ada@example.org`, /^Line 2: username must/],
], ([, line, expected]) => {
  const { users, faults } = parse(`bob,bob@example.org\n${line}\neve,eve@example.org`);
  assert.equal(faults.length, 1);
  assert.match(String(faults[0]), expected);
  assert.ok(['bob', 'eve'].every((name) => users.some(({ username }) => username === name)));
});

each('a name that comes twice makes one user, and {0}', [
  ['with the same address is a repetition', 'ada,ada@example.org\nADA,ada@example.org\n',
    [], ['Line 2: "ADA" is in line 1 already']],
  ['with another address is a fault', 'ada,ada@example.org\nAda,other@example.org\n',
    ['Line 2: "Ada" has another email address in line 1'], []],
  ['in another form of Unicode is a repetition', 'zo\u00eb,z@example.org\nzoe\u0308,z@example.org',
    [], ['Line 2: "zoe\u0308" is in line 1 already']],
], ([, text, faults, repetitions]) => {
  const list = parse(text);
  assert.deepEqual([list.users.length, list.faults, list.repetitions], [1, faults, repetitions]);
});

test('bytes that are not UTF-8 are a fault, and name nobody', () => {
  const { users, faults } = parseUserList(Buffer.from('j\xfcrgen,j@example.org', 'latin1'));
  assert.deepEqual([users.length, faults.length], [0, 1]);
});

test('100 000 lines are read, all mistakes at once', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => (
    index % 1_000 === 0 ? '!' : `pupil${index},pupil${index}@example.org`
  ));
  const { users, faults } = parse(lines.join('\r\n'));
  assert.deepEqual([users.length, faults.length], [99_900, 100]);
});
