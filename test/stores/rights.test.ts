/**
 * Tests that a change has no effect, and reports the reason, if the caller lost the right to the change after
 * the sign-in.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Origin } from '../../src/model/audit.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { sql } from '../support/sql.ts';
import { HASH, openStores } from '../support/stores.ts';

const NOW = toTimestamp(1_000);

/**
 * Matches the names of all problems of the type `forbidden`. For the token of another user, the problem is
 * `noSuchToken`.
 */
const FORBIDDEN = /Only$|^noSuchToken$/;

type World = Awaited<ReturnType<typeof createWorld>>;

/** Changes by an administrator to the account and the resources of another user. */
type Change = (world: World, origin: Origin) => Promise<Parameters<typeof wordOf>[0]>;

const OTHER = 'other' as PasswordHash;
const NEW_USER = { username: 'new', email: '', passwordHash: HASH };
const NEW_PROJECT = { name: 'new', description: '' };

const CHANGES: Readonly<Record<string, Change>> = {
  'create a user': ({ users }, origin) => users.insert({ ...NEW_USER, isAdmin: false }, origin),
  'change an email': ({ changes, ann }, origin) => changes.update(ann, { email: 'x' }, origin),
  'promote': ({ changes, ann }, origin) => changes.update(ann, { isAdmin: true }, origin),
  'disable': ({ changes, ann }, origin) => changes.update(ann, { isDisabled: true }, origin),
  'set a password': ({ changes, ann }, origin) => changes.setPassword(ann, { passwordHash: OTHER }, origin),
  'delete a user': ({ changes, bob }, origin) => changes.delete(bob, { kind: 'refuse' }, origin),
  'delete a user with projects': ({ changes, ann }, origin) =>
    changes.delete(ann, { kind: 'delete' }, origin),
  'delete a user and transfer': ({ changes, ann }, origin) =>
    changes.delete(ann, { kind: 'transfer', newOwner: 'bob' }, origin),
  'create a project': ({ projects, ann }, origin) => projects.insert({ ...NEW_PROJECT, owner: ann }, origin),
  'create a project for a name': ({ projects, ann }, origin) =>
    projects.insert({ ...NEW_PROJECT, owner: { name: ann.username } }, origin),
  'rename a project': ({ projects, project }, origin) => projects.update(project, { name: 'q' }, origin),
  'transfer a project': ({ projects, project }, origin) => projects.update(project, { owner: 'bob' }, origin),
  'delete a project': ({ projects, project }, origin) => projects.delete(project, origin),
  'revoke a token': ({ tokens, token }, origin) => tokens.revoke(token, origin),
  'revoke all tokens': ({ tokens, ann }, origin) => tokens.revokeAllOf(ann, origin),
};

/**
 * Changes that only administrators may make. Users may make all other changes to their own account and
 * resources.
 */
const FOR_ADMINISTRATORS = [
  'create a user', 'promote', 'disable', 'delete a user', 'delete a user and transfer', 'transfer a project',
];

const HOW_TO_LOSE = {
  'nothing': () => {},
  'demotion': ({ changes, root }: World) => changes.update(root, { isAdmin: false }, ORIGIN),
  'disabling': ({ changes, root }: World) => changes.update(root, { isDisabled: true }, ORIGIN),
  'deletion': ({ changes, root }: World) => changes.delete(root, { kind: 'refuse' }, ORIGIN),
  'a new password': ({ changes, root }: World) => changes.setPassword(root, { passwordHash: HASH }, ORIGIN),
  'revocation of the token': ({ tokens, rootToken }: World) => tokens.revoke(rootToken, ORIGIN),
};

/** Rows of a lost right, the expected outcome of a change, and the kinds of sign-in with the outcome. */
const LOSSES = [
  ['nothing', 'kept', ['password', 'token']],
  ['nothing', 'unauthenticated', ['expired token']],
  ['demotion', 'forbidden', ['password', 'token']],
  ['disabling', 'unauthenticated', ['password', 'token']],
  ['deletion', 'unauthenticated', ['password', 'token']],
  ['a new password', 'unauthenticated', ['password', 'token']],
  ['revocation of the token', 'unauthenticated', ['token']],
] as const;

for (const [loss, kind, signIns] of LOSSES) {
  for (const signIn of signIns) {
    for (const [title, change] of Object.entries(CHANGES)) {
      test(`An attempt to ${title} with a ${signIn} after ${loss} is ${kind}`, async (context) => {
        const world = await createWorld(context);
        await HOW_TO_LOSE[loss](world);
        const before = await world.readAll();
        const word = wordOf(await change(world, world.toOrigin(world.root, signIn)));
        if (kind === 'kept' && title === 'promote' && signIn === 'token') {
          assert.equal(word, 'passwordNeeded'); // a stolen token must not give lasting power
        } else if (kind === 'kept') {
          assert.equal(word, 'changed');
          assert.notDeepEqual(await world.readAll(), before);
        } else {
          assert.match(word, kind === 'forbidden' ? FORBIDDEN : /^unauthenticated$/);
          assert.deepEqual(await world.readAll(), before);
        }
      });
    }
  }
}

for (const [title, change] of Object.entries(CHANGES)) {
  const isPermitted = !FOR_ADMINISTRATORS.includes(title);
  test(`A plain user can${isPermitted ? '' : 'not'} ${title}`, async (context) => {
    const world = await createWorld(context);
    const before = await world.readAll();
    const word = wordOf(await change(world, world.toOrigin(world.ann, 'password')));
    assert.match(word, isPermitted ? /^changed$/ : FORBIDDEN);
    assert.equal(JSON.stringify(await world.readAll()) === JSON.stringify(before), !isPermitted);
  });
}

for (const [title, change] of Object.entries<Change | undefined>({
  'sets no password of': CHANGES['set a password'],
  'does not disable': CHANGES['disable'],
  'does not enable': ({ changes, ann }, origin) => changes.update(ann, { isDisabled: false }, origin),
  'does not delete': CHANGES['delete a user with projects'],
})) {
  test(`With a token, an administrator ${title} a user who was promoted meanwhile`, async (t) => {
    const world = await createWorld(t);
    const { changes, root, ann } = world;
    await changes.update(ann, { isAdmin: true, isDisabled: title === 'does not enable' }, ORIGIN);
    const attempt = async () => change && wordOf(await change(world, world.toOrigin(root, 'token')));
    assert.equal(await attempt(), 'passwordNeeded');
    await changes.update(ann, { isAdmin: false }, ORIGIN);
    assert.equal(await attempt(), 'changed');
  });
}

test('A registration needs no right, also with an author whose sign-in has ended', async (context) => {
  const world = await createWorld(context);
  await world.changes.update(world.ann, { isDisabled: true }, ORIGIN);
  const outcome = await world.users.register(NEW_USER, world.toOrigin(world.ann, 'password'));
  assert.equal(wordOf(outcome), 'changed');
});

test('A caller without a sign-in can change nothing', async (context) => {
  const world = await createWorld(context);
  const stranger: Origin = { ...ORIGIN, at: NOW, signIn: 'none' };
  for (const [title, change] of Object.entries(CHANGES)) {
    assert.equal(wordOf(await change(world, stranger)), 'unauthenticated', title);
  }
});

/** Inserts the administrators root and boss, and ann, who owns the project p and a token. */
async function createWorld(context: TestContext) {
  const stores = await openStores(context);
  const { addUser, addProject, addToken, database } = stores;
  const root = await addUser('root', { isAdmin: true });
  const [ann, bob] = [await addUser('ann'), await addUser('bob')];
  await addUser('boss', { isAdmin: true });
  const project = await addProject('p', ann);
  const expiresAt = toTimestamp(5_000);
  const token = await addToken('t', ann, { expiresAt });
  const rootToken = await addToken('r', root, { expiresAt });
  return {
    ...stores, root, ann, bob, token, rootToken, project,
    toOrigin(user: User, signIn: string): Origin {
      const at = signIn === 'expired token' ? toTimestamp(9_000) : NOW;
      return signIn === 'password'
        ? { ...ORIGIN, at, user, signIn, passwordVersion: 1 }
        : { ...ORIGIN, at, user, signIn: 'token', tokenId: rootToken.id };
    },
    /** Reads all stored data, including the audit trail. */
    async readAll() {
      const tables = ['users', 'projects', 'tokens', 'audit_events'];
      return Promise.all(tables.map((table) => database.read(sql(`SELECT * FROM ${table} ORDER BY id`))));
    },
  };
}
