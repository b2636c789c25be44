/** Tests how many projects of a user a list and a single read show: the first projects, as many as fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../src/database/database.ts';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import type { ProjectPatch } from '../../src/stores/projects.ts';
import { LISTED_PROJECTS } from '../../src/stores/representations.ts';
import { readItems } from '../support/list.ts';
import { createRandom } from '../support/mutations.ts';
import { ORIGIN } from '../support/origin.ts';
import { sql } from '../support/sql.ts';
import { NOW, openStores, type Stores } from '../support/stores.ts';

const ALL = { search: { kind: 'all' }, page: { number: 1, sizeMax: 1000 } } as const;

/** The size in bytes of an array `projects` that holds one project with an empty description. */
const FRAME_BYTES = 134;

for (const [place, bytesMax, readProjects] of [
  ['a list', 4_096, async (stores) => (await list(stores))[0]?.projects.length],
  ['a single read', 262_144, async (stores) => (await read(stores, 'ann')).projects.length],
] as const satisfies readonly (readonly [string, number, (stores: Stores) => Promise<unknown>])[]) {
  for (const [count, bytes, shown] of [
    ['one project', bytesMax, 1], ['one project', bytesMax + 1, 0],
    ['two projects', bytesMax, 2], ['two projects', bytesMax + 1, 1],
  ] as const) {
    test(`Of ${count} whose array takes ${bytes} bytes, ${place} shows ${shown}`, async (t) => {
      const stores = await openStores(t);
      const ann = await stores.addUser('ann');
      const isSecond = count === 'two projects';
      if (isSecond) {
        await stores.addProject('p1', ann);
      }
      const others = isSecond ? FRAME_BYTES - '[]'.length + ','.length : 0;
      await stores.addProject('p2', ann, 'x'.repeat(bytes - FRAME_BYTES - others));
      assert.equal(await readProjects(stores), shown);
      assert.deepEqual(await findInconsistencies(stores.database), []);
    });
  }

  test(`${place} shows the first projects by id until one does not fit, also after changes`, async (t) => {
    const stores = await openStores(t);
    const ann = await stores.addUser('ann');
    const large = 'x'.repeat(Math.floor(bytesMax / 3) - FRAME_BYTES);
    for (const [index, description] of [large, large, '', large, '', large].entries()) {
      await stores.addProject(`p${index}`, ann, description);
    }
    // The fourth project does not fit into the list, so the small fifth project is not shown either.
    assert.equal(await readProjects(stores), 3);
    await stores.projects.delete(await stores.findProject('p0'), ORIGIN);
    assert.equal(await readProjects(stores), 4);
    await stores.addProject('p6', ann);
    assert.equal(await readProjects(stores), 4);
    await stores.projects.delete(await stores.findProject('p5'), ORIGIN);
    assert.equal(await readProjects(stores), 5);
    assert.deepEqual(await findInconsistencies(stores.database), []);
  });
}

test('Each project shows its owner after an insertion, a change and a transfer', async (t) => {
  const stores = await openStores(t);
  const { addUser, addProject, findProject, changes, projects, database } = stores;
  const ann = await addUser('ann');
  await addUser('bob');
  const owners = async () => (await readItems(await projects.list({ ...ALL, ownerId: undefined })))
    .map(({ owner: { username, email } }) => `${username} ${email}`);
  await addProject('p1', ann);
  await database.write([sql(
    "INSERT INTO projects (name, name_key, description, owner_id, date_created) VALUES ('q', 'q', '', ?, ?)",
    ann.id, NOW,
  )]);
  assert.deepEqual(await owners(), ['ann ann@example.org', 'ann ann@example.org']);
  await changes.update(ann, { username: 'Anna', email: 'new@example.org' }, ORIGIN);
  assert.deepEqual(await owners(), ['Anna new@example.org', 'Anna new@example.org']);
  assert.equal((await list(stores))[0]?.projects[1]?.owner.email, 'new@example.org');
  await projects.update(await findProject('p1'), { owner: 'bob' }, ORIGIN);
  assert.deepEqual(await owners(), ['bob bob@example.org', 'Anna new@example.org']);
  assert.deepEqual(await findInconsistencies(database), []);
});

test('A change of a project writes the row of each owner once', async (t) => {
  const { addUser, addProject, findProject, projects, database } = await openStores(t);
  const [ann, bob] = [await addUser('ann'), await addUser('bob')];
  await database.write([
    'CREATE TABLE writes (user_id INTEGER NOT NULL)',
    'CREATE TRIGGER users_written AFTER UPDATE ON users BEGIN INSERT INTO writes VALUES (new.id); END',
  ].map((text) => sql(text)));
  const takeWrites = async () => {
    const rows = await database.read(sql('SELECT user_id FROM writes'));
    await database.write([sql('DELETE FROM writes')]);
    return rows.map((row) => row['user_id']);
  };
  await addProject('p1', ann);
  assert.deepEqual(await takeWrites(), [ann.id]);
  await projects.update(await findProject('p1'), { description: 'x'.repeat(3_000) }, ORIGIN);
  assert.deepEqual(await takeWrites(), [ann.id]);
  await projects.update(await findProject('p1'), { owner: 'bob' }, ORIGIN);
  assert.deepEqual(await takeWrites(), [ann.id, bob.id]);
  await projects.delete(await findProject('p1'), ORIGIN);
  assert.deepEqual(await takeWrites(), [bob.id]);
});

/** Selects the stored list of projects of each user, and the same list computed from the projects. */
const COMPUTED = `SELECT id, listed_projects AS stored, ${LISTED_PROJECTS} AS computed FROM users`;

for (const seed of [1, 2, 3, 4]) {
  test(`After each change of a random history (${seed}), stored lists equal computed ones`, async (t) => {
    const { addUser, insertProject, findProject, projects, changes, database } = await openStores(t);
    const random = createRandom(seed);
    const owners = [await addUser('ann'), await addUser('bob')];
    const lengths = new Set<number>();
    for (let step = 0; step < 150; step += 1) {
      const owner = random.pick(owners);
      const description = 'é'.repeat(random.pick([0, 10, 200, 400, 1_000]));
      const names = (await database.read(sql('SELECT name FROM projects'))).map((row) => textOf(row, 'name'));
      const found = names.length > 0 && await findProject(random.pick(names));
      const update = (to: ProjectPatch) => found && projects.update(found, to, ORIGIN);
      const insert = () => insertProject(`project ${step}`, owner, description);
      await random.pick([
        insert, insert, insert,
        () => update({ description }),
        () => update({ name: `"${step}"` }),
        () => update({ owner: owner.username }),
        () => found && projects.delete(found, ORIGIN),
        () => changes.update(owner, { email: `${'x'.repeat(random.below(60))}@example.org` }, ORIGIN),
      ])();
      for (const { id, stored, computed } of await database.read(sql(COMPUTED))) {
        assert.equal(stored, computed, `user ${id} after step ${step}`);
        lengths.add(JSON.parse(`[${stored}]`).length);
      }
    }
    assert.ok(lengths.has(0) && lengths.size > 4, 'lists of several lengths were seen');
  });
}

interface Listed {
  readonly projects: readonly { readonly owner: { readonly email: string } }[];
}

async function list({ users }: Stores): Promise<readonly Listed[]> {
  return readItems(await users.list(ALL));
}

async function read({ users }: Stores, username: string): Promise<Listed> {
  const found = await users.findRepresentation({ name: username });
  return JSON.parse(found?.json ?? '') as Listed;
}
