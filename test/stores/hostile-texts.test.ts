/** No text from a user breaks a list or a record, or shows a project as that of another user. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey, type NameSearch } from '../../src/model/name.ts';
import type { JsonPage, PageRequest } from '../../src/model/page.ts';
import type { PasswordHash, UserId } from '../../src/model/user.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { readItems } from '../support/list.ts';
import { ORIGIN } from '../support/origin.ts';
import { QUOTAS } from '../support/quotas.ts';

const NOW = toTimestamp(0);

/** All texts that separate, begin or end the parts of a stored list. */
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
  const shownWorks = works.map(
    ({ ownerIndex, ...work }) => ({ ...work, owner: people[ownerIndex]?.summary }),
  );
  const shownPeople = people.map(({ id, summary }, index) => {
    const owned = shownWorks.filter((_, place) => works[place]?.ownerIndex === index);
    const shown = { id, ...summary, date_created: NOW, is_admin: false, disabled: false };
    return { ...shown, projects_total: owned.length, projects: firstOf(owned, 4_096) };
  });

  for (const sizeMax of [1, 2, 3, 50, 1000]) {
    const readWorks = readAll(sizeMax, (page) => projects.list({ search: ALL, page, ownerId: undefined }));
    assert.deepEqual(await readWorks, shownWorks);
    assert.deepEqual(await readAll(sizeMax, (page) => users.list({ search: ALL, page })), shownPeople);
  }
  const byName = (left: { name: string }, right: { name: string }) => compareKeys(left.name, right.name);
  assert.deepEqual(
    await readAll(13, (page) => projects.list({
      search: ALL, page, ownerId: undefined, sort: { by: 'name', isDescending: true },
    })),
    shownWorks.toSorted(byName).reverse(),
  );
  assert.deepEqual(
    await readAll(
      3, (page) => users.list({ search: ALL, page, sort: { by: 'username', isDescending: false } }),
    ),
    shownPeople.toSorted((left, right) => compareKeys(left.username, right.username)),
  );
  for (const shown of shownWorks) {
    const { name } = shown;
    assert.deepEqual(JSON.parse((await projects.find({ name }))?.representation.json ?? ''), shown);
    const search: NameSearch = { kind: 'affixes', prefix: toNameKey(name), suffix: toNameKey('') };
    const found = await readAll(100, (page) => projects.list({ search, page, ownerId: undefined }));
    assert.deepEqual(found, shownWorks.filter((work) => toNameKey(work.name).startsWith(toNameKey(name))));
    const within: NameSearch = { kind: 'contains', text: toNameKey(name) };
    const holding = await readAll(100, (page) => projects.list({ search: within, page, ownerId: undefined }));
    assert.deepEqual(holding, shownWorks.filter((work) => toNameKey(work.name).includes(toNameKey(name))));
  }
  for (const [index, { id, username, ...others }] of shownPeople.entries()) {
    const { json = '' } = (await users.findRepresentation({ name: username })) ?? {};
    const owned = shownWorks.filter((_, place) => works[place]?.ownerIndex === index);
    assert.deepEqual(JSON.parse(json), { id, username, ...others, disabled: false, projects: owned });
    const search: NameSearch = { kind: 'contains', text: toNameKey(username) };
    assert.deepEqual(await readAll(1, (page) => users.list({ search, page })), [shownPeople[index]]);
  }
});

/** The first items whose array fits into a number of bytes. */
function firstOf<Item>(items: readonly Item[], bytesMax: number): readonly Item[] {
  const end = items.findIndex((_, index) =>
    Buffer.byteLength(JSON.stringify(items.slice(0, index + 1))) > bytesMax);
  return end === -1 ? items : items.slice(0, end);
}

const ALL: NameSearch = { kind: 'all' };

/** Reads all pages of a list, one after the other. */
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
  const database = await openTestDatabase(context);
  await createSchema(database, schema, NOW);
  const [users, projects] = [createUserStore(database), createProjectStore(database, QUOTAS)];
  const people = await Promise.all(Array.from({ length: OWNERS }, async (_, index) => {
    const text = FRAGMENTS[(index * 31) % FRAGMENTS.length] ?? '';
    const summary = { username: `${text}${index}${text}`, email: `${text}@${index}.org${text}` };
    const user = { ...summary, passwordHash: '' as PasswordHash, isAdmin: false, dateCreated: NOW };
    const outcome = await users.insert(user, ORIGIN);
    assert(outcome.kind === 'changed');
    return { id: outcome.result.user.id as number, summary };
  }));
  people.sort((left, right) => left.id - right.id);
  const texts = FRAGMENTS.flatMap((text, index) => [
    { name: `${text}${index}`, description: text },
    { name: `${index}${text}`, description: `${text}x${text}` },
  ]);
  const works = [];
  for (const [index, { name, description }] of texts.entries()) {
    const ownerIndex = (index * 5) % (OWNERS - 1); // one user owns no project
    const owner = { id: people[ownerIndex]?.id as UserId };
    const outcome = await projects.insert({ name, description, dateCreated: NOW, owner }, ORIGIN);
    assert(outcome.kind === 'changed', `${outcome.kind}: ${name}`);
    works.push({ id: outcome.result.id, name, description, date_created: NOW as string, ownerIndex });
  }
  return { users, projects, people, works };
}

/** Compares texts like SQLite: by their bytes. */
function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(toNameKey(left)), Buffer.from(toNameKey(right)));
}
