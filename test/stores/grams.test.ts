import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey, type NameKey, type TextSearch } from '../../src/model/name.ts';
import type { PasswordHash } from '../../src/model/user.ts';
import { toGramQuery, toGrams } from '../../src/stores/grams.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { ORIGIN } from '../support/origin.ts';
import { readItems } from '../support/list.ts';

const NOW = toTimestamp(0);

for (const [name, grams] of [
  ['a', '\ue002a\ue003\ue003 a\ue003\ue003\ue003'],
  ['ab1', '\ue002ab1 ab1\ue003 b1\ue003\ue003 1\ue003\ue003\ue003'],
  ['aaa', '\ue002aaa aaa\ue003 aa\ue003\ue003 a\ue003\ue003\ue003'],
  ['aaaa', '\ue002aaa aaaa aaa\ue003 aa\ue003\ue003 a\ue003\ue003\ue003 \ue002aaaa aaaa\ue003'],
  ['abcdefg', '\ue002abc abcd bcde cdef defg efg\ue003 fg\ue003\ue003 g\ue003\ue003\ue003 ' +
    '\ue002abcdefg abcdefg\ue003 \ue002abcdef bcdefg\ue003 \ue002abcde cdefg\ue003 \ue002abcd defg\ue003'],
  ['a_b', '\ue002a\ue05fb a\ue05fb\ue003 \ue05fb\ue003\ue003 b\ue003\ue003\ue003'],
  ['🗝é', '\ue002🗝é\ue003 🗝é\ue003\ue003 é\ue003\ue003\ue003'],
] as const) {
  test(`The name "${name}" has ${grams.split(' ').length} grams`, () => {
    assert.equal(toGrams(name as NameKey), grams);
  });
}

for (const [search, query] of [
  [{ kind: 'contains', text: 'a' }, '"a"*'],
  [{ kind: 'contains', text: '"*' }, '"\ue022\ue02a"*'],
  [{ kind: 'contains', text: 'abcd' }, '"abcd"'],
  [{ kind: 'contains', text: 'abcde' }, '"abcd" AND "bcde"'],
  [{ kind: 'contains', text: 'abcdefgh' }, '"abcd" AND "efgh"'],
  [{ kind: 'contains', text: 'abcdefghi' }, '"abcd" AND "efgh" AND "fghi"'],
  [{ kind: 'affixes', prefix: 'a', suffix: '' }, '"\ue002a"*'],
  [{ kind: 'affixes', prefix: '', suffix: 'a' }, '"a\ue003\ue003\ue003"'],
  [{ kind: 'affixes', prefix: 'abc', suffix: '' }, '"\ue002abc"'],
  [{ kind: 'affixes', prefix: 'abcdef', suffix: '' }, '"\ue002abcdef"'],
  [{ kind: 'affixes', prefix: 'abcdefgh', suffix: '' }, '"\ue002abcdefg" AND "efgh"'],
  [{ kind: 'affixes', prefix: 'abcdefghijkl', suffix: '' }, '"\ue002abcdefg" AND "hijk" AND "ijkl"'],
  [{ kind: 'affixes', prefix: '', suffix: 'abcd' }, '"abcd\ue003"'],
  [{ kind: 'affixes', prefix: '', suffix: 'abcdefgh' }, '"bcdefgh\ue003" AND "abcd"'],
  [{ kind: 'affixes', prefix: 'abcdefg', suffix: 'bcdefgh' }, '"\ue002abcdefg" AND "bcdefgh\ue003"'],
  [{ kind: 'affixes', prefix: 'abc', suffix: 'bc' }, '"\ue002abc" AND "bc\ue003\ue003"'],
] as const) {
  test(`${JSON.stringify(search)} asks the index for ${query}`, () => {
    assert.equal(toGramQuery(search as TextSearch), query);
  });
}

test('A long text queries at most 16 grams', () => {
  const text = Array.from({ length: 500 }, (_, index) => index.toString(36)).join('') as NameKey;
  assert.equal(toGramQuery({ kind: 'contains', text }).split(' AND ').length, 16);
});

test('The index finds exactly the names that a scan of all names finds', async (context) => {
  const database = await openTestDatabase(context);
  await createSchema(database, schema, NOW);
  const users = createUserStore(database);
  const names = [...new Map(toWords(600, 9).map((word) => [toNameKey(word), word])).values()];
  for (const username of names) {
    await users.insert(
      { username, email: '', passwordHash: '' as PasswordHash, isAdmin: false, dateCreated: NOW }, ORIGIN,
    );
  }
  const beginnings = names.slice(0, 100)
    .map((name, index) => Array.from(name).slice(0, 1 + (index % 9)).join(''));
  const ends = names.slice(100, 200).map((name, index) => Array.from(name).slice(-1 - (index % 9)).join(''));
  const texts = [...toWords(150, 4), ...beginnings, ...ends].map(toNameKey);
  for (const [index, text] of texts.entries()) {
    const suffix = texts[texts.length - 1 - index] ?? text;
    const searches: readonly [TextSearch, (key: string) => boolean][] = [
      [{ kind: 'contains', text }, (key) => key.includes(text)],
      [{ kind: 'affixes', prefix: text, suffix: toNameKey('') }, (key) => key.startsWith(text)],
      [{ kind: 'affixes', prefix: toNameKey(''), suffix: text }, (key) => key.endsWith(text)],
      [{ kind: 'affixes', prefix: text, suffix },
        (key) => key.length >= text.length + suffix.length && key.startsWith(text) && key.endsWith(suffix)],
    ];
    for (const [search, matches] of searches) {
      const items = await readItems(await users.list({ search, page: { number: 1, sizeMax: 1000 } }));
      const found = items.map(({ username }: { username: string }) => username);
      assert.deepEqual(found, names.filter((name) => matches(toNameKey(name))), JSON.stringify(search));
    }
  }
});

test('The index and the summaries of owners follow renames and deletions of users', async (context) => {
  const database = await openTestDatabase(context);
  await createSchema(database, schema, NOW);
  const users = createUserStore(database);
  for (const username of ['anna', 'bert', 'carl']) {
    await users.insert(
      { username, email: '', passwordHash: '' as PasswordHash, isAdmin: false, dateCreated: NOW }, ORIGIN,
    );
  }
  const key = toNameKey('dora');
  await database.write([
    { sql: `INSERT INTO projects (name, name_key, description, owner_id, date_created)
              SELECT 'p', 'p', '', id, '' FROM users WHERE username = 'anna'`, parameters: [] },
    { sql: 'UPDATE users SET username = ?, username_key = ?, username_grams = ? WHERE id = 1', parameters: [
      key, key, toGrams(key),
    ] },
    { sql: 'DELETE FROM users WHERE id = 2', parameters: [] },
    { sql: `INSERT INTO users_search (users_search, rank) VALUES ('integrity-check', 1)`, parameters: [] },
  ]);
  for (const [text, expected] of [
    ['anna', []], ['dora', ['dora']], ['bert', []], ['r', ['dora', 'carl']],
  ] as const) {
    const found = await readItems(await users.list({
      search: { kind: 'contains', text: toNameKey(text) }, page: { number: 1, sizeMax: 10 },
    }));
    assert.deepEqual(found.map(({ username }) => username), expected);
    assert.ok(found.every(({ username, projects }) =>
      projects.every((project: any) => project.owner.username === username),
    ));
  }
});

/** Words of few letters, so that many share parts. They are the same in each run. */
function toWords(count: number, lengthMax: number): readonly string[] {
  let seed = 7;
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % limit;
  };
  const letters = ['a', 'b', 'A', '.', '_', '+', '@', 'é', 'Σ', '😀', '1'];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(lengthMax) }, () => letters[next(letters.length)]).join(''),
  );
}
