import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey } from '../../src/model/name.ts';
import type { TokenDigest } from '../../src/model/token.ts';
import { NO_PASSWORD, type PasswordHash, type User, type UserId } from '../../src/model/user.ts';
import { schema } from '../../src/stores/schema.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserChanges } from '../../src/stores/user-changes.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { QUOTAS } from '../support/quotas.ts';
import { readItems } from '../support/list.ts';

const NOW = toTimestamp(0);
const HASH = 'hash' as PasswordHash;

test('A user is found by the new name, and a change of another version is refused', async (context) => {
  const { users, changes, add } = await openStores(context);
  const ann = await add('ann');
  assert.equal((await changes.update(ann, { username: 'Zoë' }, ORIGIN)).kind, 'changed');
  assert.equal(wordOf(await changes.update(ann, { username: 'zora' }, ORIGIN, 1)), 'preconditionFailed');
  assert.equal(await users.find({ name: 'ann' }), undefined);
  assert.deepEqual(await users.find({ name: 'ZOE\u0308' }), { ...ann, username: 'Zoë', version: 2 });
  const { count } = await users.list({
    search: { kind: 'contains', text: toNameKey('OË') }, page: { number: 1, sizeMax: 10 },
  });
  assert.equal(count, 1);
});

test('A rename to the username of another user is refused; changing the case is allowed', async (context) => {
  const { changes, add } = await openStores(context);
  const ann = await add('ann');
  await add('bob');
  assert.equal(wordOf(await changes.update(ann, { username: 'BOB' }, ORIGIN)), 'usernameTaken');
  assert.equal((await changes.update(ann, { username: 'ANN' }, ORIGIN)).kind, 'changed');
});

for (const [title, change] of [
  [
    'demoted',
    (changes: Changes, user: User) => changes.update(user, { isAdmin: false }, ORIGIN),
  ],
  [
    'disabled',
    (changes: Changes, user: User) => changes.update(user, { isDisabled: true }, ORIGIN),
  ],
  ['deleted', (changes: Changes, user: User) => changes.delete(user, { kind: 'delete' }, ORIGIN)],
] as const) {
  test(`The last administrator is not ${title}; of two ${title} at once, one stays`, async (context) => {
    const { changes, addAdministrator } = await openStores(context);
    const ann = await addAdministrator('ann');
    assert.equal(wordOf(await change(changes, ann)), 'lastAdministrator');
    const bob = await addAdministrator('bob');
    const outcomes = await Promise.all([change(changes, ann), change(changes, bob)]);
    assert.deepEqual(
      outcomes.map(wordOf).toSorted(), ['changed', 'lastAdministrator'],
    ); // in either order
  });

  test(`Disabled administrators do not count if one is ${title}, and can be demoted`, async (context) => {
    const { changes, addAdministrator } = await openStores(context);
    const [ann, bob] = [await addAdministrator('ann'), await addAdministrator('bob')];
    await changes.update(bob, { isDisabled: true }, ORIGIN);
    assert.equal(wordOf(await change(changes, ann)), 'lastAdministrator');
    assert.equal(wordOf(await changes.update(bob, { isAdmin: false }, ORIGIN)), 'changed');
  });

  test(`Administrators without a password do not count if one is ${title}`, async (context) => {
    const { changes, add, addAdministrator } = await openStores(context);
    const [ann, bob] = [await addAdministrator('ann'), await add('bob', NO_PASSWORD)];
    await changes.update(bob, { isAdmin: true }, ORIGIN);
    assert.equal(wordOf(await change(changes, ann)), 'lastAdministrator');
    await changes.setPassword(bob, { passwordHash: HASH }, ORIGIN);
    assert.equal(wordOf(await change(changes, ann)), 'changed');
  });
}

test('A checked password is replaced once, and this revokes all other tokens', async (context) => {
  const { users, changes, tokens, add, issue } = await openStores(context);
  const [ann, bob] = [await add('ann'), await add('bob')];
  const spared = await issue('a1', ann);
  await issue('a2', ann);
  await issue('b1', bob);
  const set = (hash: string) => changes.setPassword(
    ann,
    { passwordHash: hash as PasswordHash, checkedVersion: 1, sparedTokenId: spared },
    ORIGIN,
  );
  const outcomes = (await Promise.all([set('new'), set('newer')])).map(wordOf);
  assert.deepEqual(outcomes.toSorted(), ['changed', 'wrongPassword']); // in either order
  const found = await Promise.all(
    ['a1', 'a2', 'b1'].map((digest) => tokens.findWithOwner(digest as TokenDigest, NOW)),
  );
  assert.deepEqual(found.map((one) => one?.user.username), ['ann', undefined, 'bob']);
  assert.deepEqual(await users.findWithPassword(toNameKey('ann')), {
    user: { ...ann, version: 2 },
    passwordHash: outcomes[0] === 'changed' ? 'new' : 'newer',
    passwordVersion: 2,
  });
});

test('A password change that fails revokes nothing', async (context) => {
  const { changes, tokens, add, issue } = await openStores(context);
  const ann = await add('ann');
  await issue('a1', ann);
  const passwordHash = 'other' as PasswordHash;
  for (const expected of [9, 'none'] as const) {
    const outcome = await changes.setPassword(ann, { passwordHash }, ORIGIN, expected);
    assert.equal(wordOf(outcome), 'preconditionFailed');
  }
  assert.notEqual(await tokens.findWithOwner('a1' as TokenDigest, NOW), undefined);
});

for (const [kind, outcome, left] of [
  ['refuse', 'projectsOwned', ['p of ann', 'q of bob']],
  ['delete', 'changed', ['q of bob']],
  ['transfer', 'changed', ['p of bob', 'q of bob']],
] as const) {
  test(`Deleting the owner of a project with "${kind}" is ${outcome}, leaving [${left}]`, async (context) => {
    const { changes, projects, add } = await openStores(context);
    const [ann, bob] = [await add('ann'), await add('bob')];
    for (const [name, owner] of [['p', ann], ['q', bob]] as const) {
      await projects.insert({ name, description: '', dateCreated: NOW, owner }, ORIGIN);
    }
    const owned = kind === 'transfer' ? { kind, newOwnerId: bob.id } as const : { kind };
    assert.equal(wordOf(await changes.delete(ann, owned, ORIGIN)), outcome);
    const items = await readItems(
      await projects.list({ search: { kind: 'all' }, page: { number: 1, sizeMax: 10 }, ownerId: undefined }),
    );
    assert.deepEqual(items.map(({ name, owner }: any) => `${name} of ${owner.username}`), left);
  });
}

for (const [title, heir, expected, reason] of [
  ['that changed since the read', undefined, 9, 'preconditionFailed'],
  ['whose heir is missing', 99 as UserId, 'any', 'unknownOwner'],
] as const) {
  test(`A user ${title} is not deleted, and keeps all projects`, async (context) => {
    const { changes, projects, add } = await openStores(context);
    const [ann, bob] = [await add('ann'), await add('bob')];
    await projects.insert({ name: 'p', description: '', dateCreated: NOW, owner: ann }, ORIGIN);
    const owned = { kind: 'transfer', newOwnerId: heir ?? bob.id } as const;
    assert.equal(wordOf(await changes.delete(ann, owned, ORIGIN, expected)), reason);
    assert.equal((await projects.find({ name: 'p' }))?.project.ownerId, ann.id);
  });
}

test('A user who is gone is neither changed nor deleted', async (context) => {
  const { changes, add } = await openStores(context);
  const ann = await add('ann');
  await changes.delete(ann, { kind: 'refuse' }, ORIGIN);
  const outcomes = [
    await changes.update(ann, { email: 'x' }, ORIGIN),
    await changes.setPassword(ann, { passwordHash: HASH }, ORIGIN),
    await changes.delete(ann, { kind: 'delete' }, ORIGIN),
  ];
  assert.deepEqual(outcomes.map(wordOf), ['noSuchUser', 'noSuchUser', 'noSuchUser']);
});

type Changes = ReturnType<typeof createUserChanges>;

async function openStores(context: TestContext) {
  const database = await openTestDatabase(context);
  await createSchema(database, schema, NOW);
  const [users, tokens] = [createUserStore(database), createTokenStore(database, QUOTAS)];
  const insert = async (username: string, isAdmin: boolean, passwordHash = HASH): Promise<User> => {
    const outcome = await users.insert(
      { username, email: '', passwordHash, isAdmin, dateCreated: NOW }, ORIGIN,
    );
    assert(outcome.kind === 'changed');
    return outcome.result.user;
  };
  return {
    users, tokens,
    projects: createProjectStore(database, QUOTAS),
    changes: createUserChanges(database, QUOTAS),
    add: (username: string, passwordHash?: PasswordHash) => insert(username, false, passwordHash),
    addAdministrator: (username: string) => insert(username, true),
    async issue(digest: string, owner: User) {
      const token = {
        digest: digest as TokenDigest, lastFour: '', owner, name: '', scope: 'full', dateCreated: NOW,
        expiresAt: toTimestamp(1000),
      } as const;
      const outcome = await tokens.insert(token, ORIGIN);
      assert(outcome.kind === 'changed');
      return outcome.result.id;
    },
  };
}
