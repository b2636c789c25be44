import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { NameSearch } from '../../src/model/name.ts';
import type { ProjectId } from '../../src/model/project.ts';
import type { UserId } from '../../src/model/user.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { NOW, openStores as openEmptyStores } from '../support/stores.ts';
import { readItems } from '../support/list.ts';

const ALL: NameSearch = { kind: 'all' };

test('An inserted project is found by id and by name, case ignored, with its owner', async (context) => {
  const { projects, ann, insertProject, readProject } = await openStores(context);
  const outcome = await insertProject('Große Fuge', ann, 'about Große Fuge');
  const members = { id: 1, name: 'Große Fuge', description: 'about Große Fuge' };
  const project = { ...members, dateCreated: NOW, ownerId: ann.id, version: 1 };
  const shown = { ...members, date_created: NOW, owner: { username: 'ann', email: 'ann@example.org' } };
  const representation = { id: 1, version: 1, json: JSON.stringify(shown) };
  assert.deepEqual(outcome, { kind: 'changed', result: representation });
  assert.deepEqual(await readProject('Große Fuge'), project);
  assert.deepEqual(await projects.find({ id: 1 as ProjectId }), representation);
  assert.deepEqual(await projects.find({ name: 'GROẞE FUGE' }), representation);
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
    const { ann, bob, insertProject } = await openStores(context);
    await insertProject(first, ann);
    assert.equal(wordOf(await insertProject(second, bob)), expected);
  });
}

test('A project of an owner who does not exist is not inserted', async (context) => {
  const { ann, insertProject } = await openStores(context);
  assert.equal(wordOf(await insertProject('orphan', { ...ann, id: 42 as UserId })), 'unknownOwner');
});

test('An owner may be given by name, case ignored; an unknown name inserts nothing', async (context) => {
  const { projects, ann, readProject } = await openStores(context);
  const insert = (name: string) =>
    projects.insert({ name: 'Fuge', description: '', owner: { name } }, ORIGIN);
  assert.equal(wordOf(await insert('nobody')), 'unknownOwner');
  assert.equal(wordOf(await insert('')), 'unknownOwner');
  assert.equal(wordOf(await insert('ANN')), 'changed');
  assert.equal((await readProject('Fuge'))?.ownerId, ann.id);
  assert.equal(wordOf(await insert('nobody')), 'unknownOwner');
});

test('A user who owns a project cannot be deleted', async (context) => {
  const { database, ann, addProject } = await openStores(context);
  await addProject('Fuge', ann);
  const deletion = { sql: 'DELETE FROM users WHERE id = ?', parameters: [ann.id] };
  await assert.rejects(database.write([deletion]), /FOREIGN KEY/);
});

test('Of 50 concurrent projects with one name, one is inserted, and has the only event', async (t) => {
  const { ann, bob, insertProject, database } = await openStores(t);
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => insertProject('Fuge', index % 2 === 0 ? ann : bob)),
  );
  const words = outcomes.map(wordOf).toSorted();
  assert.deepEqual(words, ['changed', ...Array<string>(49).fill('projectNameTaken')]);
  const count = async (sql: string) => (await database.read({ sql, parameters: [] })).length;
  assert.equal(await count("SELECT id FROM audit_events WHERE action = 'project.create'"), 1);
  assert.equal(await count('SELECT number FROM refusal'), 0);
});

test('Concurrent changes of different values are all kept', async (context) => {
  const { projects, ann, bob, addProject, readProject } = await openStores(context);
  const project = await addProject('Fuge', ann);
  const changes = [{ name: 'Fugue' }, { description: 'new' }, { owner: 'bob' }];
  const outcomes = await Promise.all(changes.map((to) => projects.update(project, to, ORIGIN)));
  assert.deepEqual(outcomes.map(wordOf), ['changed', 'changed', 'changed']);
  const after = await readProject('Fugue');
  const expected = { ...project, name: 'Fugue', description: 'new', ownerId: bob.id, version: 4 };
  assert.deepEqual(after, expected);
});

/** Opens the stores with two users. */
async function openStores(context: TestContext) {
  const stores = await openEmptyStores(context);
  return { ...stores, ann: await stores.addUser('ann'), bob: await stores.addUser('bob') };
}
