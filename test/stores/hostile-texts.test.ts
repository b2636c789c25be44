/** Tests that no text from a user breaks a list or a record, or makes a project appear under another user. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import type { PageRequest } from '../../src/model/page.ts';
import type { JsonPage, NameSearch } from '../../src/stores/list.ts';
import type { User } from '../../src/model/user.ts';
import { readItems } from '../support/list.ts';
import { NOW, openStores } from '../support/stores.ts';

/**
 * Texts that separate, begin or end the parts of stored lists, and texts that other formats treat as special.
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

  for (const sizeMax of [1, 2, 3, 50, 1000]) {
    const readWorks = readAll(sizeMax, (page) => projects.list({ search: ALL, page, ownerId: undefined }));
    assert.deepEqual(await readWorks, works);
    assert.deepEqual(await readAll(sizeMax, (page) => users.list({ search: ALL, page })), shownPeople);
  }
  const byName = (left: { name: string }, right: { name: string }) => compareKeys(left.name, right.name);
  assert.deepEqual(
    await readAll(13, (page) => projects.list({
      search: ALL, page, ownerId: undefined, sort: { by: 'name', isDescending: true },
    })),
    works.toSorted(byName).reverse(),
  );
  assert.deepEqual(
    await readAll(
      3, (page) => users.list({ search: ALL, page, sort: { by: 'username', isDescending: false } }),
    ),
    shownPeople.toSorted((left, right) => compareKeys(left.username, right.username)),
  );
  for (const shown of works) {
    const { name } = shown;
    assert.deepEqual(JSON.parse((await projects.find({ name }))?.json ?? ''), shown);
    const search: NameSearch = { kind: 'affixes', prefix: toNameKey(name), suffix: toNameKey('') };
    const found = await readAll(100, (page) => projects.list({ search, page, ownerId: undefined }));
    assert.deepEqual(found, works.filter((work) => toNameKey(work.name).startsWith(toNameKey(name))));
    const within: NameSearch = { kind: 'contains', text: toNameKey(name) };
    const holding = await readAll(100, (page) => projects.list({ search: within, page, ownerId: undefined }));
    assert.deepEqual(holding, works.filter((work) => toNameKey(work.name).includes(toNameKey(name))));
  }
  for (const [index, { id, username, ...others }] of shownPeople.entries()) {
    const { json = '' } = (await users.findRepresentation({ name: username })) ?? {};
    const projects = ownedBy(username);
    assert.deepEqual(JSON.parse(json), { id, username, ...others, disabled: false, projects });
    const search: NameSearch = { kind: 'contains', text: toNameKey(username) };
    assert.deepEqual(await readAll(1, (page) => users.list({ search, page })), [shownPeople[index]]);
  }
});

/** Returns the first items, as many as fit into a JSON array of this size. */
function firstOf<Item>(items: readonly Item[], bytesMax: number): readonly Item[] {
  const end = items.findIndex((_, index) =>
    Buffer.byteLength(JSON.stringify(items.slice(0, index + 1))) > bytesMax);
  return end === -1 ? items : items.slice(0, end);
}

const ALL: NameSearch = { kind: 'all' };

/** Reads all pages of a list in turn. */
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
