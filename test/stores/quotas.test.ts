import assert from 'node:assert/strict';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import { createUserChanges, type UserChanges } from '../../src/stores/user-changes.ts';
import { insertProjects } from '../support/filled-file.ts';
import { readColumn } from '../support/sql.ts';
import { FIRST_PAGE, ORIGIN, readItems, withStores, wordOf, type World } from '../support/stores.ts';

withStores('Of 20 concurrent projects only as many as the limit are inserted; a deletion makes room', async ({
  ann, insertProject, projects,
}) => {
  const insertions = Array.from({ length: 20 }, (_, index) => insertProject(`p${index}`, ann));
  const outcomes = await Promise.all(insertions);
  const words = [...Array<string>(5).fill('changed'), ...Array<string>(15).fill('tooManyProjects')];
  assert.deepEqual(outcomes.map(wordOf).toSorted(), words);
  // on a cluster, any five of the concurrent insertions succeed, and not always the first five
  const inserted = outcomes.findIndex(({ kind }) => kind === 'changed');
  await projects.delete({ name: `p${inserted}` }, ORIGIN);
  assert.equal(wordOf(await insertProject('again', ann)), 'changed');
  assert.equal(wordOf(await insertProject('once more', ann)), 'tooManyProjects');
  const byName = { name: 'by name', description: '', owner: { name: 'ann' } };
  assert.equal(wordOf(await projects.insert(byName, ORIGIN)), 'tooManyProjects');
}, { projectsPerUserMax: 5 });

withStores('A transferred project counts for the receiver, and no longer for the previous owner', async ({
  ann, bob, insertProject, projects,
}) => {
  for (const [name, owner] of [['a1', ann], ['a2', ann], ['b1', bob]] as const) {
    await insertProject(name, owner);
  }
  const give = async (name: string) => wordOf(await projects.update({ name }, { owner: 'bob' }, ORIGIN));
  assert.deepEqual([await give('a1'), await give('a2')], ['changed', 'tooManyProjects']);
  assert.equal(await give('b1'), 'changed'); // bob owns b1 already
  assert.equal(wordOf(await projects.update({ name: 'b1' }, { name: 'b2' }, ORIGIN)), 'changed');
  assert.equal(wordOf(await insertProject('a3', ann)), 'changed');
}, { projectsPerUserMax: 2 });

withStores.each('1201 projects are {0} in batches; after a crash housekeeping continues', [
  ['deleted', { kind: 'delete' }, 0, 0],
  ['transferred', { kind: 'transfer', newOwner: 'bob' }, 1_000, 1_201],
], async (world, [, owned, moved, left]) => {
  const { ann, users, changes, database } = world;
  await interruptDeletion(world, 1_201, owned, 6);
  assert.deepEqual(await readTotals(world), [['ann', 201], ['bob', moved]]);
  assert.deepEqual(await findInconsistencies(database), []);
  assert.equal((await users.find({ id: ann.id }))?.isDisabled, true);
  const continued = [await changes.continueDeletion(ORIGIN), await changes.continueDeletion(ORIGIN)];
  assert.deepEqual([...continued, await changes.continueDeletion(ORIGIN)], [true, true, false]);
  assert.deepEqual(await readTotals(world), [['bob', left]]);
  const question = "SELECT count(*) FROM audit_events WHERE resource_type = 'project'";
  assert.deepEqual(await readColumn(database, question), [1_201]);
  assert.deepEqual(await findInconsistencies(database), []);
});

withStores('A transfer whose receiver is deleted meanwhile stops, and keeps the projects', async (world) => {
  const { ann, bob, users, changes } = world;
  await interruptDeletion(world, 401, { kind: 'transfer', newOwner: 'bob' }, 2);
  assert.equal(wordOf(await changes.delete(bob, { kind: 'delete' }, ORIGIN)), 'changed');
  assert.equal(await changes.continueDeletion(ORIGIN), false);
  assert.deepEqual(await readTotals(world), [['ann', 201]]);
  assert.equal((await users.find({ id: ann.id }))?.isDisabled, true);
  assert.equal(wordOf(await changes.delete(ann, { kind: 'delete' }, ORIGIN)), 'changed');
});

withStores('A user whose deletion has begun receives no projects, and cannot sign in', async (world) => {
  await interruptDeletion(world, 401, { kind: 'delete' }, 1);
  const outcome = await world.changes.delete(world.bob, { kind: 'transfer', newOwner: 'ann' }, ORIGIN);
  assert.equal(wordOf(outcome), 'unknownOwner');
  assert.deepEqual(await readColumn(world.database, 'SELECT id FROM tokens'), []);
});

async function readTotals({ users }: World): Promise<readonly (readonly [string, number])[]> {
  const page = await users.list(FIRST_PAGE);
  return (await readItems(page)).map(({ username, projects_total: total }) => [username, total]);
}

/** Ann owns projects and a token. After `writesMax` writes, every write fails. */
async function interruptDeletion(
  world: World, projects: number, owned: Parameters<UserChanges['delete']>[1], writesMax: number,
): Promise<void> {
  const { ann, addToken, database } = world;
  await database.write([insertProjects({ username: 'ann', projects, description: '' })]);
  await addToken(ann);
  let writes = 0;
  const write = <Result>(act: () => Promise<Result>) => {
    writes += 1;
    return writes > writesMax ? Promise.reject(new Error('power cut')) : act();
  };
  const failing = createUserChanges({
    ...database,
    write: (statements) => write(() => database.write(statements)),
    change: (...change) => write(() => database.change(...change)),
  }, 10_000);
  await assert.rejects(failing.delete(ann, owned, ORIGIN), /power cut/);
}
