import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import { startCore } from '../support/core.ts';
import { HASH, NOW, ORIGIN } from '../support/stores.ts';

/** Texts with the separators of stored lists, or with characters that are special in SQL or JavaScript. */
const SEPARATORS = [
  '},{"id":1,"name":"x', '"},{"', ']},{"id":2,', '","projects":[{"id":1', '"projects":[]}',
  '"owner":{"username":"ann"}}',
  '\\"},{\\"', '\\\\"', '\\u0022},{', '\u001e', '\u001f', '\t\r\n', '\u2028', '"', "'", '\\',
  '${x}', '%s', "'||'",
];

/** Numbers are left out, because a number in a path is an id. */
const FRAGMENTS = [...new Set(SEPARATORS.flatMap((text) => Array.from(text).flatMap((_, index) => {
  const characters = Array.from(text);
  return [characters.slice(index).join(''), characters.slice(0, index + 1).join('')];
})))].filter((text) => !/^\d+$/.test(text));

const OWNERS = 7;

test('Lists, pages, searches and records show what was stored', async (t) => {
  const { expect, registerWithToken, services } = await startCore(t);
  const as = await registerWithToken('ada');
  const read = async (path: string) => (await expect(200, `GET /api/v1/${path}`, { as })).json;
  const accounts = Array.from({ length: OWNERS }, (_, index) => {
    const text = FRAGMENTS[(index * 31) % FRAGMENTS.length] ?? '';
    return { username: `${text}${index}${text}`, email: `${text}@${index}.org${text}` };
  });
  for (const account of accounts) {
    await services.users.insert({ ...account, passwordHash: HASH, isAdmin: false }, ORIGIN);
  }
  const works = FRAGMENTS.flatMap((text, index) => [
    { name: `${text}${index}`, description: text },
    { name: `${index}${text}`, description: `${text}x${text}` },
  ]).map((work, index) => {
    const owner = accounts[(index * 5) % (OWNERS - 1)] ?? assert.fail(); // the last user owns no project
    return { id: index + 1, ...work, date_created: NOW, owner };
  });
  for (const { name, description, owner } of works) {
    await services.projects.insert({ name, description, owner: { name: owner.username } }, ORIGIN);
  }
  const people = accounts.map((account, index) => {
    const owned = works.filter(({ owner }) => owner === account);
    const shown = { id: index + 2, ...account, date_created: NOW, is_admin: false, disabled: false };
    return { ...shown, projects_total: owned.length, projects: owned };
  });
  const listed = people.map((person) => ({ ...person, projects: firstOf(person.projects, 4_096) }));

  for (const [list, all] of [['users', listed], ['projects', works]] as const) {
    const isOfAda = list === 'users' ? 1 : 0; // ada is the first user
    for (const size of [2, 3, 50, 1000]) {
      const found: unknown[] = [];
      for (let page = 1; found.length < all.length + isOfAda; page += 1) {
        found.push(...(await read(`${list}?items_per_page=${size}&page=${page}`))[list]);
      }
      assert.deepEqual(found.slice(isOfAda), all);
    }
  }
  for (const work of works) {
    assert.deepEqual(await read(`projects/${encodeURIComponent(work.name)}`), work);
    const { projects } = await read(`projects?contains=${encodeURIComponent(work.name)}`);
    assert.deepEqual(projects, works.filter(({ name }) => toNameKey(name).includes(toNameKey(work.name))));
  }
  for (const person of people) {
    assert.deepEqual(await read(`users/${encodeURIComponent(person.username)}`), person);
  }
});

/** Returns as many items from the start as fit into a JSON array of at most `bytesMax` bytes. */
function firstOf<Item>(items: readonly Item[], bytesMax: number): readonly Item[] {
  const end = items.findIndex((_, index) =>
    Buffer.byteLength(JSON.stringify(items.slice(0, index + 1))) > bytesMax);
  return end === -1 ? items : items.slice(0, end);
}
