import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey, type NameSearch } from '../../src/model/name.ts';
import type { Project, ProjectId } from '../../src/model/project.ts';
import type { PasswordHash, User, UserId } from '../../src/model/user.ts';
import { schema } from '../../src/stores/schema.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { QUOTAS } from '../support/quotas.ts';
import { readItems } from '../support/list.ts';

const NOW = toTimestamp(0);
const ALL: NameSearch = { kind: 'all' };

test('An inserted project is found by id and by name, case ignored, with its owner', async (context) => {
  const { projects, ann, insert } = await openStores(context);
  const outcome = await insert('Große Fuge', ann);
  const members = { id: 1, name: 'Große Fuge', description: 'about Große Fuge' };
  const project = { ...members, dateCreated: NOW, ownerId: ann.id, version: 1 };
  const shown = { ...members, date_created: NOW, owner: { username: 'ann', email: 'ann@example.org' } };
  const representation = { id: 1, version: 1, json: JSON.stringify(shown) };
  assert.deepEqual(outcome, { kind: 'changed', result: representation });
  assert.deepEqual(await projects.find({ id: 1 as ProjectId }), { project, representation });
  assert.deepEqual(await projects.find({ name: 'GROẞE FUGE' }), { project, representation });
  const page = await projects.list({ search: ALL, page: { number: 1, sizeMax: 10 }, ownerId: undefined });
  assert.deepEqual(await readItems(page), [shown]);
});

for (const [first, second, expected] of [
  ['Fuge', 'FUGE', 'projectNameTaken'],
  ['Été', 'E\u0301TE\u0301', 'projectNameTaken'],
  ['Fuge', 'Fuge ', 'changed'],
  ['100%', '100x', 'changed'],
] as const) {
  test(`After project "${first}" of one user, "${second}" of another is ${expected}`, async (context) => {
    const { ann, bob, insert } = await openStores(context);
    await insert(first, ann);
    assert.equal(wordOf(await insert(second, bob)), expected);
  });
}

test('A project of an owner who does not exist is not inserted', async (context) => {
  const { ann, insert } = await openStores(context);
  assert.equal(wordOf(await insert('orphan', { ...ann, id: 42 as UserId })), 'unknownOwner');
});

test('An owner may be given by name, case ignored; an unknown name inserts nothing', async (context) => {
  const { projects, ann } = await openStores(context);
  const insert = (name: string) =>
    projects.insert({ name: 'Fuge', description: '', dateCreated: NOW, owner: { name } }, ORIGIN);
  assert.equal(wordOf(await insert('nobody')), 'unknownOwner');
  assert.equal(wordOf(await insert('')), 'unknownOwner');
  assert.equal(wordOf(await insert('ANN')), 'changed');
  assert.equal((await projects.find({ name: 'Fuge' }))?.project.ownerId, ann.id);
  assert.equal(wordOf(await insert('nobody')), 'unknownOwner');
});

test('A user who owns a project cannot be deleted', async (context) => {
  const { database, ann, add } = await openStores(context);
  await add('Fuge', ann);
  const deletion = { sql: 'DELETE FROM users WHERE id = ?', parameters: [ann.id] };
  await assert.rejects(database.write([deletion]), /FOREIGN KEY/);
});

test('An unknown name or id finds no project', async (context) => {
  const { projects, ann, add } = await openStores(context);
  await add('Fuge', ann);
  assert.equal(await projects.find({ name: '1' }), undefined);
  assert.equal(await projects.find({ name: '' }), undefined);
  for (const id of [0, 2, -1, Number.MAX_SAFE_INTEGER]) {
    assert.equal(await projects.find({ id: id as ProjectId }), undefined);
  }
});

for (const [title, owner, contains, number, sizeMax, names, hasNext] of [
  ['everybody', undefined, '', 1, 5, ['A one', 'B one', 'A two', 'B two', 'A three'], false],
  ['everybody', undefined, '', 1, 4, ['A one', 'B one', 'A two', 'B two'], true],
  ['everybody', undefined, '', 2, 4, ['A three'], false],
  ['everybody', undefined, '', 3, 4, [], false],
  ['everybody', undefined, '', Number.MAX_SAFE_INTEGER, 1000, [], false],
  ['everybody with "TWO"', undefined, 'TWO', 1, 10, ['A two', 'B two'], false],
  ['ann', 'ann', '', 1, 3, ['A one', 'A two', 'A three'], false],
  ['ann', 'ann', '', 1, 2, ['A one', 'A two'], true],
  ['ann', 'ann', '', 2, 2, ['A three'], false],
  ['ann with "two"', 'ann', 'two', 1, 10, ['A two'], false],
] as const) {
  const next = hasNext ? 'with' : 'without';
  test(`Projects of ${title}: page ${number} of ${sizeMax} is [${names}] ${next} a next`, async (context) => {
    const { projects, ann, bob, add } = await openStores(context);
    for (const name of ['A one', 'B one', 'A two', 'B two', 'A three']) {
      await add(name, name.startsWith('A') ? ann : bob);
    }
    const search: NameSearch = contains === '' ? ALL : { kind: 'contains', text: toNameKey(contains) };
    const page = await projects.list({ search, page: { number, sizeMax }, ownerId: owner && ann.id });
    assert.deepEqual((await readItems(page)).map(({ name }: { name: string }) => name), names);
    assert.equal(page.count, names.length);
    assert.equal(page.hasNext, hasNext);
  });
}

test('Of 8 concurrent deletions of one project, exactly one succeeds', async (context) => {
  const { projects, ann, add } = await openStores(context);
  const [fuge, other] = [await add('Fuge', ann), await add('Other', ann)];
  const deleted = await Promise.all(Array.from({ length: 8 }, () => projects.delete(fuge, ORIGIN)));
  assert.equal(deleted.filter((outcome) => outcome.kind === 'changed').length, 1);
  assert.equal(await projects.find({ id: fuge.id }), undefined);
  assert.deepEqual((await projects.find({ id: other.id }))?.project, other);
});

test('A project of another version than expected is neither deleted nor updated', async (context) => {
  const { projects, ann, bob, add } = await openStores(context);
  const project = await add('Fuge', ann);
  assert.equal((await projects.update(project, { ownerId: bob.id }, ORIGIN)).kind, 'changed');
  for (const expected of [1, 3, 'none'] as const) {
    assert.equal(wordOf(await projects.delete(project, ORIGIN, expected)), 'preconditionFailed');
    const outcome = await projects.update(project, { name: 'Fugue' }, ORIGIN, expected);
    assert.equal(wordOf(outcome), 'preconditionFailed');
  }
  assert.equal((await projects.find({ id: project.id }))?.project.ownerId, bob.id);
});

test('Concurrent changes of different values are all kept', async (context) => {
  const { projects, ann, bob, add } = await openStores(context);
  const project = await add('Fuge', ann);
  const changes = [{ name: 'Fugue' }, { description: 'new' }, { ownerId: bob.id }];
  const outcomes = await Promise.all(changes.map((to) => projects.update(project, to, ORIGIN)));
  assert.deepEqual(outcomes.map(wordOf), ['changed', 'changed', 'changed']);
  const after = await projects.find({ id: project.id });
  const expected = { ...project, name: 'Fugue', description: 'new', ownerId: bob.id, version: 4 };
  assert.deepEqual(after?.project, expected);
});

test('After a deletion the name is free, but the id is not reused', async (context) => {
  const { projects, ann, add } = await openStores(context);
  await projects.delete(await add('Fuge', ann), ORIGIN);
  assert.equal((await add('Fuge', ann)).id, 2);
});

async function openStores(context: TestContext) {
  const database = await openTestDatabase(context);
  await createSchema(database, schema, NOW);
  const [users, projects] = [createUserStore(database), createProjectStore(database, QUOTAS)];
  const insert = (name: string, owner: User) =>
    projects.insert({ name, description: `about ${name}`, dateCreated: NOW, owner }, ORIGIN);
  return {
    database, users, projects, insert,
    ann: await addUser('ann'),
    bob: await addUser('bob'),
    async add(name: string, owner: User): Promise<Project> {
      const outcome = await insert(name, owner);
      assert(outcome.kind === 'changed');
      const found = await projects.find({ name });
      assert(found !== undefined);
      return found.project;
    },
  };

  async function addUser(username: string): Promise<User> {
    const email = `${username}@example.org`;
    const passwordHash = 'hash' as PasswordHash;
    const outcome = await users.insert(
      { username, email, passwordHash, isAdmin: false, dateCreated: NOW }, ORIGIN,
    );
    assert(outcome.kind === 'changed');
    return outcome.result.user;
  }
}
