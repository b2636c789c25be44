/** Records show the first projects of a user, the same in the user's row and in single reads. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { findInconsistencies } from '../../src/extras/data/consistency.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserChanges } from '../../src/stores/user-changes.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { readItems } from '../support/list.ts';
import { ORIGIN } from '../support/origin.ts';

const NOW = toTimestamp(0);

/** The bytes of the array `projects` with one project without a description, in these tests. */
const FRAME_BYTES = 132;

for (const [place, bytesMax, readProjects] of [
  ['a list', 4_096, async ({ list }) => (await list())[0]?.projects.length],
  ['a single read', 262_144, async ({ read }) => (await read('ann')).projects.length],
] as const satisfies readonly (readonly [string, number, (stores: Stores) => Promise<unknown>])[]) {
  for (const [bytes, shown] of [[bytesMax, 1], [bytesMax + 1, 0]] as const) {
    test(`Of one project whose array takes ${bytes} bytes, ${place} shows ${shown}`, async (t) => {
      const stores = await openStores(t);
      await stores.own(await stores.add('ann'), 'p1', 'x'.repeat(bytes - FRAME_BYTES));
      assert.equal(await readProjects(stores), shown);
      assert.deepEqual(await findInconsistencies(stores.database), []);
    });
  }

  test(`${place} shows the first projects by id until one does not fit, also after changes`, async (t) => {
    const stores = await openStores(t);
    const ann = await stores.add('ann');
    const large = 'x'.repeat(Math.floor(bytesMax / 3) - FRAME_BYTES);
    for (const [index, description] of [large, large, '', large, '', large].entries()) {
      await stores.own(ann, `p${index}`, description);
    }
    assert.equal(await readProjects(stores), 3); // the fourth does not fit; the small fifth is not shown
    await stores.remove('p0');
    assert.equal(await readProjects(stores), 4);
    await stores.own(ann, 'p6', '');
    assert.equal(await readProjects(stores), 4);
    await stores.remove('p5');
    assert.equal(await readProjects(stores), 5);
    assert.deepEqual(await findInconsistencies(stores.database), []);
  });
}

test('Lists and single reads agree with the projects, however many and long', async (t) => {
  const { add, own, list, read, database } = await openStores(t);
  const expected: string[][] = [];
  for (const [index, count] of [0, 1, 3, 12, 20, 40].entries()) {
    const user = await add(`user${index}`);
    expected.push([]);
    for (let project = 0; project < count; project += 1) {
      const name = `проект ${index}-${project} },{"id":1 😀`;
      await own(user, name, ']},{');
      expected.at(-1)?.push(name);
    }
  }
  const listed = await list();
  assert.deepEqual(new Set(listed.flatMap(({ username, projects }) =>
    projects.map(({ owner }) => owner.username === username))), new Set([true]));
  for (const { username, projects } of listed) {
    const { projects: all } = await read(username);
    assert.deepEqual(all.slice(0, projects.length), projects);
    assert.ok(projects.length === all.length || projects.length > 12);
  }
  const shown = await Promise.all(listed.map(async ({ username }) => (await read(username)).projects));
  assert.deepEqual(shown.map((projects) => projects.map(({ name }) => name)), expected);
  assert.deepEqual(await findInconsistencies(database), []);
});

test('Each project shows a new email address of its owner at once', async (t) => {
  const { add, own, list, changes, users } = await openStores(t);
  const ann = await add('ann');
  await own(ann, 'p1', '');
  const user = await users.find({ id: ann.id });
  assert(user !== undefined);
  await changes.update(user, { email: 'new@example.org' }, ORIGIN);
  assert.deepEqual((await list()).map(({ projects }) => projects.map(({ owner }) => owner.email)), [
    ['new@example.org'],
  ]);
});

test('A project shows its owner after an import, a rename and a transfer', async (t) => {
  const { add, own, changes, projects, database } = await openStores(t);
  const [ann, bob] = [await add('ann'), await add('bob')];
  const owners = async () => {
    const found = await projects.list({
      search: { kind: 'all' }, page: { number: 1, sizeMax: 9 }, ownerId: undefined,
    });
    return (await readItems(found)).map(({ owner }) => owner.username);
  };
  await own(ann, 'p1', '');
  await database.write([{
    sql: 'INSERT INTO projects (name, name_key, description, owner_id, date_created) VALUES (?, ?, ?, ?, ?)',
    parameters: ['p2', 'p2', '', ann.id, NOW],
  }]);
  assert.deepEqual(await owners(), ['ann', 'ann']);
  await changes.update(ann, { username: 'Anna' }, ORIGIN);
  assert.deepEqual(await owners(), ['Anna', 'Anna']);
  const found = await projects.find({ name: 'p1' });
  assert(found !== undefined);
  await projects.update(found.project, { ownerId: bob.id }, ORIGIN);
  assert.deepEqual(await owners(), ['bob', 'Anna']);
  assert.deepEqual(await findInconsistencies(database), []);
});

test('Lists show changes, transfers and deletions at once, for long and short projects', async (t) => {
  const { add, own, list, projects, database } = await openStores(t);
  const [ann, bob] = [await add('ann'), await add('bob')];
  await own(ann, 'small', '');
  await own(ann, 'large', 'x'.repeat(3_000));
  const names = async () => (await list()).map((user) => user.projects.map(({ name }) => name));
  const change = async (
    name: string, to: { readonly name?: string; readonly ownerId?: User['id'] },
  ) => {
    const found = await projects.find({ name });
    assert(found !== undefined);
    assert.equal((await projects.update(found.project, { ...to }, ORIGIN)).kind, 'changed');
  };
  await change('small', { name: 'renamed' });
  assert.deepEqual(await names(), [['renamed', 'large'], []]);
  await change('large', { ownerId: bob.id });
  assert.deepEqual(await names(), [['renamed'], ['large']]);
  const found = await projects.find({ name: 'large' });
  assert(found !== undefined);
  await projects.delete(found.project, ORIGIN);
  assert.deepEqual(await names(), [['renamed'], []]);
  assert.deepEqual(await findInconsistencies(database), []);
});

test('A change of a project writes the row of each owner once', async (t) => {
  const { add, own, projects, database } = await openStores(t);
  const [ann, bob] = [await add('ann'), await add('bob')];
  await database.write([
    'CREATE TABLE writes (user_id INTEGER NOT NULL)',
    'CREATE TRIGGER users_written AFTER UPDATE ON users BEGIN INSERT INTO writes VALUES (new.id); END',
  ].map((sql) => ({ sql, parameters: [] })));
  const takeWrites = async () => {
    const rows = await database.read({ sql: 'SELECT user_id FROM writes', parameters: [] });
    await database.write([{ sql: 'DELETE FROM writes', parameters: [] }]);
    return rows.map((row) => row['user_id']);
  };
  const find = async () => {
    const found = await projects.find({ name: 'p1' });
    assert(found !== undefined);
    return found.project;
  };
  await own(ann, 'p1', '');
  assert.deepEqual(await takeWrites(), [ann.id]);
  await projects.update(await find(), { description: 'x'.repeat(3_000) }, ORIGIN);
  assert.deepEqual(await takeWrites(), [ann.id]);
  await projects.update(await find(), { ownerId: bob.id }, ORIGIN);
  assert.deepEqual(await takeWrites(), [ann.id, bob.id]);
  await projects.delete(await find(), ORIGIN);
  assert.deepEqual(await takeWrites(), [bob.id]);
});

interface Listed {
  readonly username: string;
  readonly projects: readonly {
    readonly name: string; readonly owner: { readonly username: string; readonly email: string };
  }[];
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores(t: TestContext) {
  const database = await openTestDatabase(t);
  await createSchema(database, schema, NOW);
  const limits = { projectsPerUserMax: 100 };
  const users = createUserStore(database);
  const projects = createProjectStore(database, limits);
  return {
    database, users, projects, changes: createUserChanges(database, limits),
    async add(username: string): Promise<User> {
      const outcome = await users.insert({
        username, email: 'a@example.org', passwordHash: 'none' as PasswordHash, dateCreated: NOW,
        isAdmin: false,
      }, ORIGIN);
      assert(outcome.kind === 'changed');
      return outcome.result.user;
    },
    async own(owner: User, name: string, description: string): Promise<void> {
      const outcome = await projects.insert({ name, description, owner, dateCreated: NOW }, ORIGIN);
      assert.equal(outcome.kind, 'changed');
    },
    async remove(name: string): Promise<void> {
      const found = await projects.find({ name });
      assert(found !== undefined);
      await projects.delete(found.project, ORIGIN);
    },
    async list(): Promise<readonly Listed[]> {
      const found = await users.list({ search: { kind: 'all' }, page: { number: 1, sizeMax: 1000 } });
      return readItems(found);
    },
    async read(username: string): Promise<Listed> {
      const found = await users.findRepresentation({ name: username });
      return JSON.parse(found?.json ?? '') as Listed;
    },
  };
}
