import assert from 'node:assert/strict';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import type { ProjectPatch } from '../../src/stores/projects.ts';
import { LISTED_PROJECTS } from '../../src/stores/representations.ts';
import { createRandom } from '../support/mutations.ts';
import { readColumn, sql } from '../support/sql.ts';
import { FIRST_PAGE, ORIGIN, readItems, withStores, type World } from '../support/stores.ts';

/** The size in bytes of an array `projects` that holds one project with an empty description. */
const FRAME_BYTES = 134;

/** Each row names a type of response, and the maximum size in bytes of the projects of one user. */
const PLACES = [
  ['a list', 4_096, async ({ users }: World) => (await readItems(await users.list(FIRST_PAGE)))[0].projects],
  ['a single read', 262_144, async ({ users, ann }: World) =>
    JSON.parse((await users.findRepresentation(ann))?.json ?? '').projects],
] as const;

for (const [place, bytesMax, readProjects] of PLACES) {
  withStores.each(`Of {0} whose array takes {1} bytes, ${place} shows {2}`, [
    ['one project', bytesMax, 1], ['one project', bytesMax + 1, 0],
    ['two projects', bytesMax, 2], ['two projects', bytesMax + 1, 1],
  ], async (world, [count, bytes, shown]) => {
    const isSecond = count === 'two projects';
    if (isSecond) {
      await world.addProject('p1', world.ann);
    }
    const others = isSecond ? FRAME_BYTES - '[]'.length + ','.length : 0;
    await world.addProject('p2', world.ann, 'x'.repeat(bytes - FRAME_BYTES - others));
    assert.equal((await readProjects(world)).length, shown);
    assert.deepEqual(await findInconsistencies(world.database), []);
  });

  withStores(`${place} shows the first projects by id until one does not fit, also after changes`, async (
    world,
  ) => {
    const { ann, addProject, projects } = world;
    const large = 'x'.repeat(Math.floor(bytesMax / 3) - FRAME_BYTES);
    for (const [index, description] of [large, large, '', large, '', large].entries()) {
      await addProject(`p${index}`, ann, description);
    }
    // The fourth project does not fit, so the list ends after three projects, although the fifth would fit.
    assert.equal((await readProjects(world)).length, 3);
    for (const [change, shown] of [
      [() => projects.delete({ name: 'p0' }, ORIGIN), 4],
      [() => addProject('p6', ann), 4],
      [() => projects.delete({ name: 'p5' }, ORIGIN), 5],
    ] as const) {
      await change();
      assert.equal((await readProjects(world)).length, shown);
    }
    assert.deepEqual(await findInconsistencies(world.database), []);
  });
}

withStores('A change of a project writes the row of each owner once', async (world) => {
  const { ann, bob, addProject, projects, database } = world;
  await database.write([
    'CREATE TABLE writes (user_id INTEGER NOT NULL)',
    'CREATE TRIGGER users_written AFTER UPDATE ON users BEGIN INSERT INTO writes VALUES (new.id); END',
  ].map((text) => sql(text)));
  const update = (to: ProjectPatch) => projects.update({ name: 'p1' }, to, ORIGIN);
  for (const [change, written] of [
    [() => addProject('p1', ann), [ann.id]],
    [() => update({ description: 'x'.repeat(3_000) }), [ann.id]],
    [() => update({ owner: 'bob' }), [ann.id, bob.id]],
    [() => projects.delete({ name: 'p1' }, ORIGIN), [bob.id]],
  ] as const) {
    await change();
    assert.deepEqual(await readColumn(database, 'SELECT user_id FROM writes'), written);
    await database.write([sql('DELETE FROM writes')]);
  }
});

const COMPUTED = `SELECT id, listed_projects AS stored, ${LISTED_PROJECTS} AS computed FROM users`;

withStores.each('After each change of a random history ({0}), stored lists equal computed ones', [
  1, 2, 3, 4,
], async ({ ann, bob, insertProject, projects, changes, database }, seed) => {
  const random = createRandom(seed);
  const lengths = new Set<number>();
  for (let step = 0; step < 150; step += 1) {
    const owner = random.pick([ann, bob]);
    const description = 'é'.repeat(random.pick([0, 10, 200, 400, 1_000]));
    const names = (await readColumn(database, 'SELECT name FROM projects')).map(String);
    const project = { name: names.length === 0 ? '' : random.pick(names) };
    const update = (to: ProjectPatch) => projects.update(project, to, ORIGIN);
    const insert = () => insertProject(`project ${step}`, owner, description);
    await random.pick([
      insert, insert, insert,
      () => update({ description }),
      () => update({ name: `"${step}"` }),
      () => update({ owner: owner.username }),
      () => projects.delete(project, ORIGIN),
      () => changes.update(owner, { email: `${'x'.repeat(random.below(60))}@example.org` }, ORIGIN),
    ])();
    for (const { id, stored, computed } of await database.read(sql(COMPUTED))) {
      assert.equal(stored, computed, `user ${id} after step ${step}`);
      lengths.add(JSON.parse(`[${stored}]`).length);
    }
  }
  assert.ok(lengths.has(0) && lengths.size > 4, 'lists of several lengths were seen');
});
