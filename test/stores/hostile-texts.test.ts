/** Tests that no text from a user breaks a list or a record, or makes a project appear under another user. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import type { PageRequest } from '../../src/model/page.ts';
import type { JsonPage, NameSearch } from '../../src/stores/list.ts';
import type { User } from '../../src/model/user.ts';
import { NOW, openStores, readItems } from '../support/stores.ts';

/**
 * Texts that separate, begin or end the parts of stored lists, and texts that are special in SQL or in
 * JavaScript.
 */
const SEPARATORS = [
  '},{"id":1,"name":"x', '"},{"', ']},{"id":2,', '","projects":[{"id":1', '"projects":[]}',
  '"owner":{"username":"ann"}}',
  '\\"},{\\"', '\\\\"', '\\u0022},{', '\u001e', '\u001f', '\t\r\n', '\u2028', '"', "'", '\\',
  '${x}', '%s', "'||'",
];

/** Every prefix and every suffix of a separator, each once. */
const FRAGMENTS = [...new Set(SEPARATORS.flatMap((text) => Array.from(text).flatMap((_, index) => {
  const characters = Array.from(text);
  return [characters.slice(index).join(''), characters.slice(0, index + 1).join('')];
})))];

const OWNERS = 7;

test('Lists, pages, sorts, searches and reads show what was stored', async (t) => {
  const { users, projects, people, works } = await createWorld(t);
  const ownedBy = (username: string) => works.filter(({ owner }) => owner.username === username);
  const shownPeople = people.map(({ id, username, email }) => {
    const owned = ownedBy(username);
    const shown = { id, username, email, date_created: NOW, is_admin: false, disabled: false };
    return { ...shown, projects_total: owned.length, projects: firstOf(owned, 4_096) };
  });

  const listWorks = (sizeMax: number, query: Partial<Parameters<typeof projects.list>[0]> = {}) =>
    readAll(sizeMax, (page) => projects.list({ page, ownerId: undefined, ...query }));
  const listPeople = (sizeMax: number, query: Partial<Parameters<typeof users.list>[0]> = {}) =>
    readAll(sizeMax, (page) => users.list({ page, ...query }));
  for (const sizeMax of [1, 2, 3, 50, 1000]) {
    assert.deepEqual(await listWorks(sizeMax), works);
    assert.deepEqual(await listPeople(sizeMax), shownPeople);
  }
  assert.deepEqual(
    await listWorks(13, { sort: { by: 'name', isDescending: true } }),
    works.toSorted((left, right) => compareKeys(right.name, left.name)),
  );
  assert.deepEqual(
    await listPeople(3, { sort: { by: 'username', isDescending: false } }),
    shownPeople.toSorted((left, right) => compareKeys(left.username, right.username)),
  );
  for (const shown of works) {
    const { name } = shown;
    const key = toNameKey(name);
    assert.deepEqual(JSON.parse((await projects.find({ name }))?.json ?? ''), shown);
    assert.deepEqual(
      await listWorks(100, { search: { kind: 'affixes', prefix: key, suffix: toNameKey('') } }),
      works.filter((work) => toNameKey(work.name).startsWith(key)),
    );
    assert.deepEqual(
      await listWorks(100, { search: { kind: 'contains', text: key } }),
      works.filter((work) => toNameKey(work.name).includes(key)),
    );
  }
  for (const person of shownPeople) {
    const { json = '' } = (await users.findRepresentation({ name: person.username })) ?? {};
    assert.deepEqual(JSON.parse(json), { ...person, projects: ownedBy(person.username) });
    const search: NameSearch = { kind: 'contains', text: toNameKey(person.username) };
    assert.deepEqual(await listPeople(1, { search }), [person]);
  }
});

/** Returns the first items: as many items as fit into a JSON array of the given size. */
function firstOf<Item>(items: readonly Item[], bytesMax: number): readonly Item[] {
  const end = items.findIndex((_, index) =>
    Buffer.byteLength(JSON.stringify(items.slice(0, index + 1))) > bytesMax);
  return end === -1 ? items : items.slice(0, end);
}

async function readAll(sizeMax: number, list: (page: PageRequest) => Promise<JsonPage>) {
  const all: unknown[] = [];
  for (let number = 1; ; number += 1) {
    const page = await list({ number, sizeMax });
    const items = await readItems(page);
    assert.equal(page.count, items.length);
    all.push(...items);
    if (!page.hasNext) {
      return all;
    }
  }
}

async function createWorld(context: TestContext) {
  const { users, projects, addUser, insertProject } = await openStores(context);
  const people: User[] = [];
  for (let index = 0; index < OWNERS; index += 1) {
    const text = FRAGMENTS[(index * 31) % FRAGMENTS.length] ?? '';
    people.push(await addUser(`${text}${index}${text}`, { email: `${text}@${index}.org${text}` }));
  }
  const texts = FRAGMENTS.flatMap((text, index) => [
    { name: `${text}${index}`, description: text },
    { name: `${index}${text}`, description: `${text}x${text}` },
  ]);
  const works = [];
  for (const [index, { name, description }] of texts.entries()) {
    const owner = people[(index * 5) % (OWNERS - 1)]; // the last user owns no project
    assert(owner !== undefined);
    const outcome = await insertProject(name, owner, description);
    assert(outcome.kind === 'changed', `${outcome.kind}: ${name}`);
    const { username, email } = owner;
    works.push({ id: outcome.result.id, name, description, date_created: NOW, owner: { username, email } });
  }
  return { users, projects, people, works };
}

/** Compares the keys of two names by their bytes, as SQLite does. */
function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(toNameKey(left)), Buffer.from(toNameKey(right)));
}
