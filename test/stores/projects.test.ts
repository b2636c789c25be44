/** Tests the names of projects and concurrent changes. test/api/ tests what callers see. */
import assert from 'node:assert/strict';
import { sql } from '../support/sql.ts';
import { ORIGIN, withStores, wordOf } from '../support/stores.ts';

for (const [first, second, expected] of [
  ['Été', 'E\u0301TE\u0301', 'projectNameTaken'],
  ['Fuge', 'Fuge ', 'changed'],
  ['100%', '100x', 'changed'],
] as const) {
  const title = `After project "${first}" of one user, "${second}" of another is ${expected}`;
  withStores(title, async ({ ann, bob, insertProject }) => {
    await insertProject(first, ann);
    assert.equal(wordOf(await insertProject(second, bob)), expected);
  });
}

withStores('A user who owns a project cannot be deleted', async ({ database, ann, addProject }) => {
  await addProject('Fuge', ann);
  await assert.rejects(database.write([sql('DELETE FROM users WHERE id = ?', ann.id)]), /FOREIGN KEY/);
});

withStores('Of 50 concurrent projects with one name, one is inserted, and has the only event', async ({
  ann, bob, insertProject, database,
}) => {
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => insertProject('Fuge', index % 2 === 0 ? ann : bob)),
  );
  const words = outcomes.map(wordOf).toSorted();
  assert.deepEqual(words, ['changed', ...Array<string>(49).fill('projectNameTaken')]);
  const count = async (text: string) => (await database.read(sql(text))).length;
  assert.equal(await count("SELECT id FROM audit_events WHERE action = 'project.create'"), 1);
  assert.equal(await count('SELECT number FROM refusal'), 0);
});

withStores('Concurrent changes of different values are all kept', async (world) => {
  const { projects, ann, bob, addProject, readProject } = world;
  const project = await addProject('Fuge', ann);
  const changes = [{ name: 'Fugue' }, { description: 'new' }, { owner: 'bob' }];
  const outcomes = await Promise.all(changes.map((to) => projects.update(project, to, ORIGIN)));
  assert.deepEqual(outcomes.map(wordOf), ['changed', 'changed', 'changed']);
  const expected = { ...project, name: 'Fugue', description: 'new', ownerId: bob.id, version: 4 };
  assert.deepEqual(await readProject('Fugue'), expected);
});

withStores('A list by name has the project whose name is last in every order', async (world) => {
  await world.addProject('\u{10ffff}'.repeat(255), world.ann);
  const page = { number: 1, sizeMax: 10 };
  const sort = { by: 'name', isDescending: false } as const;
  const { count } = await world.projects.list({ search: { kind: 'all' }, page, sort, ownerId: undefined });
  assert.equal(count, 1);
});
