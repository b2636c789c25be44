/** Tests the limits on projects and tokens of a user. Many projects must not block lists or deletions. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { TokenDigest } from '../../src/model/token.ts';
import type { User } from '../../src/model/user.ts';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import { createUserChanges, type UserChanges } from '../../src/stores/user-changes.ts';
import { withMethods } from '../support/database.ts';
import { insertProjects } from '../support/filled-file.ts';
import { readItems } from '../support/list.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { QUOTAS } from '../support/quotas.ts';
import { NOW, openStores } from '../support/stores.ts';

const ALL = { search: { kind: 'all' }, page: { number: 1, sizeMax: 1000 } } as const;

test('Of 20 concurrent projects only as many as the limit are inserted; a deletion makes room', async (t) => {
  const { addUser, insertProject, findProject, projects } = await openStores(t, { projectsPerUserMax: 5 });
  const ann = await addUser('ann');
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => insertProject(`p${index}`, ann)),
  );
  assert.deepEqual(countWords(outcomes), { changed: 5, tooManyProjects: 15 });
  // a cluster may insert concurrent projects in any order
  const inserted = outcomes.findIndex(({ kind }) => kind === 'changed');
  await projects.delete(await findProject(`p${inserted}`), ORIGIN);
  assert.equal(wordOf(await insertProject('again', ann)), 'changed');
  assert.equal(wordOf(await insertProject('once more', ann)), 'tooManyProjects');
  const byName = { name: 'by name', description: '', owner: { name: 'ann' } };
  assert.equal(wordOf(await projects.insert(byName, ORIGIN)), 'tooManyProjects');
});

test('A transferred project counts for the receiver, and no longer for the previous owner', async (t) => {
  const { addUser, insertProject, findProject, projects } = await openStores(t, { projectsPerUserMax: 2 });
  const [ann, bob] = [await addUser('ann'), await addUser('bob')];
  for (const [name, owner] of [['a1', ann], ['a2', ann], ['b1', bob]] as const) {
    await insertProject(name, owner);
  }
  const give = async (name: string) =>
    wordOf(await projects.update(await findProject(name), { owner: 'bob' }, ORIGIN));
  assert.deepEqual([await give('a1'), await give('a2')], ['changed', 'tooManyProjects']);
  assert.deepEqual(await give('b1'), 'changed'); // bob owns b1 already
  assert.equal(wordOf(await insertProject('a3', ann)), 'changed');
});

test('An owner who may own no more projects can still change them', async (t) => {
  const { addUser, addProject, projects } = await openStores(t, { projectsPerUserMax: 1 });
  const project = await addProject('a1', await addUser('ann'));
  assert.equal(wordOf(await projects.update(project, { name: 'a2' }, ORIGIN)), 'changed');
});

for (const [bobCount, word] of [[1, 'changed'], [2, 'tooManyProjects']] as const) {
  test(`A deletion that transfers 2 projects to an owner of ${bobCount}, limit 3: ${word}`, async (t) => {
    const { addUser, insertProject, changes, users } = await openStores(t, { projectsPerUserMax: 3 });
    const [ann, bob] = [await addUser('ann'), await addUser('bob')];
    const names = ['a1', 'a2', 'b1', 'b2'].slice(0, 2 + bobCount);
    for (const name of names) {
      await insertProject(name, name.startsWith('a') ? ann : bob);
    }
    const outcome = await changes.delete(ann, { kind: 'transfer', newOwner: 'bob' }, ORIGIN);
    assert.equal(wordOf(outcome), word);
    const items = await readItems(await users.list(ALL));
    const totals = items.map(({ username, projects_total }) => `${username} ${projects_total}`);
    assert.deepEqual(totals, word === 'changed' ? ['bob 3'] : ['ann 2', 'bob 2']);
  });
}

test('The limit of tokens counts only valid tokens', async (t) => {
  const { addUser, tokens, insertToken } = await openStores(t, { tokensPerUserMax: 3 });
  const [ann, bob] = [await addUser('ann'), await addUser('bob')];
  const issue = (digest: string, owner: User, atMs = 0) => insertToken(
    digest, owner, { expiresAt: toTimestamp(digest === 'short' ? 10 : 1_000) },
    { ...ORIGIN, at: toTimestamp(atMs) },
  );
  const first = await issue('short', ann);
  const outcomes = await Promise.all(['1', '2', '3', '4'].map((digest) => issue(digest, ann)));
  assert.deepEqual(countWords(outcomes), { changed: 2, tooManyTokens: 2 });
  assert.equal(wordOf(await issue('b', bob)), 'changed');
  assert.equal(first.kind, 'changed');
  assert.equal(wordOf(await issue('5', ann, 9)), 'tooManyTokens');
  assert.equal(wordOf(await issue('6', ann, 10)), 'changed');
  const live = outcomes.find((outcome) => outcome.kind === 'changed');
  assert(live !== undefined);
  await tokens.revoke(live.result, ORIGIN);
  assert.equal(wordOf(await issue('7', ann, 10)), 'changed');
});

for (const [title, owned, moved, left] of [
  ['deleted', { kind: 'delete' }, 0, 0],
  ['transferred', { kind: 'transfer', newOwner: 'bob' }, 1_000, 1_201],
] as const) {
  test(`1201 projects are ${title} in batches; after a crash housekeeping continues`, async (t) => {
    const { ann, users, changes, database } = await interruptDeletion(t, 1_201, owned, 6);
    const readTotals = async () => (await readItems(await users.list(ALL)))
      .map(({ username, projects_total }) => [username, projects_total]);
    assert.deepEqual(await readTotals(), [['ann', 201], ['bob', moved]]);
    assert.deepEqual(await findInconsistencies(database), []);
    assert.equal((await users.find({ id: ann.id }))?.isDisabled, true);
    const continued = [await changes.continueDeletion(ORIGIN), await changes.continueDeletion(ORIGIN)];
    assert.deepEqual([...continued, await changes.continueDeletion(ORIGIN)], [true, true, false]);
    assert.deepEqual(await readTotals(), [['bob', left]]);
    const sql = "SELECT count(*) AS count FROM audit_events WHERE resource_type = 'project'";
    assert.equal((await database.read({ sql, parameters: [] }))[0]?.['count'], 1_201);
    assert.deepEqual(await findInconsistencies(database), []);
  });
}

test('A transfer whose receiver is deleted meanwhile stops, and keeps the projects', async (t) => {
  const owned = { kind: 'transfer', newOwner: 'bob' } as const;
  const { ann, bob, users, changes } = await interruptDeletion(t, 401, owned, 2);
  assert.equal(wordOf(await changes.delete(bob, { kind: 'delete' }, ORIGIN)), 'changed');
  assert.equal(await changes.continueDeletion(ORIGIN), false);
  const [left] = await readItems(await users.list(ALL));
  assert.deepEqual([left?.username, left?.disabled, left?.projects_total], ['ann', true, 201]);
  assert.equal(wordOf(await changes.delete(ann, { kind: 'delete' }, ORIGIN)), 'changed');
});

test('A user whose deletion has begun receives no projects', async (t) => {
  const { bob, changes } = await interruptDeletion(t, 401, { kind: 'delete' }, 1);
  const outcome = await changes.delete(bob, { kind: 'transfer', newOwner: 'ann' }, ORIGIN);
  assert.equal(wordOf(outcome), 'unknownOwner');
});

test('A user whose deletion has begun cannot sign in', async (t) => {
  const { tokens } = await interruptDeletion(t, 401, { kind: 'delete' }, 1);
  assert.equal(await tokens.findWithOwner('a' as TokenDigest, NOW), undefined);
});

test('Other requests run between two batches of a deletion', async (t) => {
  const { addUser, changes, users, database } = await openStores(t);
  const ann = await addUser('ann');
  await fill(database, ann, 2_001);
  let turns = 0;
  const deletion = changes.delete(ann, { kind: 'delete' }, ORIGIN).finally(() => { turns = -turns; });
  while (turns >= 0 && (await users.find({ id: ann.id })) !== undefined) {
    turns += 1;
    await new Promise(setImmediate);
  }
  assert.equal(wordOf(await deletion), 'changed');
  assert.ok(Math.abs(turns) >= 4, `${turns} turns`);
});

function countWords(outcomes: readonly Parameters<typeof wordOf>[0][]): Record<string, number> {
  const words = Object.entries(Object.groupBy(outcomes, wordOf));
  return Object.fromEntries(words.map(([word, those = []]) => [word, those.length]));
}

/** Inserts projects without events. */
function fill(database: Database, { username }: User, projects: number): Promise<void> {
  return database.write([insertProjects({ username, projects, description: '' })]);
}

/** Begins to delete ann, who owns projects and the token `a`. Every write after `writesMax` writes fails. */
async function interruptDeletion(
  t: TestContext, projects: number, owned: Parameters<UserChanges['delete']>[1], writesMax: number,
) {
  const stores = await openStores(t);
  const { addUser, addToken, database } = stores;
  const [ann, bob] = [await addUser('ann'), await addUser('bob')];
  await fill(database, ann, projects);
  await addToken('a', ann);
  let writes = 0;
  const write = <Result>(act: () => Promise<Result>) => {
    writes += 1;
    return writes > writesMax ? Promise.reject(new Error('power cut')) : act();
  };
  const failing = createUserChanges(withMethods(database, {
    write: (statements) => write(() => database.write(statements)),
    change: (...change) => write(() => database.change(...change)),
  }), QUOTAS);
  await assert.rejects(failing.delete(ann, owned, ORIGIN), /power cut/);
  return { ...stores, ann, bob };
}
