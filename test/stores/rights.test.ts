/** Tests that a change has no effect if the caller lost the right to the change after the sign-in. */
import assert from 'node:assert/strict';
import type { Origin } from '../../src/model/audit.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Token } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { sql } from '../support/sql.ts';
import { HASH, ORIGIN, withStores, wordOf, type World as Stores } from '../support/stores.ts';

const NOW = toTimestamp(1_000);

/** Matches the refusals for a lost right, whose names end in `Only`, or are `noSuchToken` for a token. */
const FORBIDDEN = /Only$|^noSuchToken$/;

/** A world with the administrators root and boss, and with ann, who owns the project p and a token. */
interface World extends Stores {
  readonly root: User;
  readonly token: Token;
  readonly rootToken: Token;
}

/** Changes by an administrator to the account and the resources of another user. */
type Change = (world: World, origin: Origin) => Promise<Parameters<typeof wordOf>[0]>;

const NEW_USER = { username: 'new', email: '', passwordHash: HASH };
const NEW_PROJECT = { name: 'new', description: '' };

const CHANGES: Readonly<Record<string, Change>> = {
  'create a user': ({ users }, origin) => users.insert({ ...NEW_USER, isAdmin: false }, origin),
  'change an email': ({ changes, ann }, origin) => changes.update(ann, { email: 'x' }, origin),
  'promote': ({ changes, ann }, origin) => changes.update(ann, { isAdmin: true }, origin),
  'disable': ({ changes, ann }, origin) => changes.update(ann, { isDisabled: true }, origin),
  'set a password': ({ changes, ann }, origin) =>
    changes.setPassword(ann, { passwordHash: 'other' as PasswordHash }, origin),
  'delete a user': ({ changes, bob }, origin) => changes.delete(bob, { kind: 'refuse' }, origin),
  'delete a user with projects': ({ changes, ann }, origin) =>
    changes.delete(ann, { kind: 'delete' }, origin),
  'delete a user and transfer': ({ changes, ann }, origin) =>
    changes.delete(ann, { kind: 'transfer', newOwner: 'bob' }, origin),
  'create a project': ({ projects, ann }, origin) => projects.insert({ ...NEW_PROJECT, owner: ann }, origin),
  'create a project for a name': ({ projects }, origin) =>
    projects.insert({ ...NEW_PROJECT, owner: { name: 'ann' } }, origin),
  'rename a project': ({ projects }, origin) => projects.update({ name: 'p' }, { name: 'q' }, origin),
  'transfer a project': ({ projects }, origin) => projects.update({ name: 'p' }, { owner: 'bob' }, origin),
  'delete a project': ({ projects }, origin) => projects.delete({ name: 'p' }, origin),
  'revoke a token': ({ tokens, token }, origin) => tokens.revoke(token, origin),
  'revoke all tokens': ({ tokens, ann }, origin) => tokens.revokeAllOf(ann, origin),
};

/** The changes for which even the owner of an account or a project must be an administrator. */
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

/** Rows: how a right is lost, the outcome of a later change, and the kinds of sign-in with that outcome. */
const LOSSES = [
  ['nothing', 'kept', ['password', 'token']],
  ['nothing', 'unauthenticated', ['expired token']],
  ['demotion', 'forbidden', ['password', 'token']],
  ['disabling', 'unauthenticated', ['password', 'token']],
  ['deletion', 'unauthenticated', ['password', 'token']],
  ['a new password', 'unauthenticated', ['password', 'token']],
  ['revocation of the token', 'unauthenticated', ['token']],
] as const;

for (const [title, change] of Object.entries(CHANGES)) {
  for (const [loss, kind, signIns] of LOSSES) {
    for (const signIn of signIns) {
      inWorld(`An attempt to ${title} with a ${signIn} after ${loss} is ${kind}`, async (world) => {
        await HOW_TO_LOSE[loss](world);
        // A stolen token must not give lasting power.
        const isPasswordNeeded = kind === 'kept' && title === 'promote' && signIn === 'token';
        await assertOutcome(world, change, toOrigin(world, world.root, signIn), isPasswordNeeded
          ? /^passwordNeeded$/
          : { kept: /^changed$/, forbidden: FORBIDDEN, unauthenticated: /^unauthenticated$/ }[kind]);
      });
    }
  }

  const isPermitted = !FOR_ADMINISTRATORS.includes(title);
  inWorld(`A plain user can${isPermitted ? '' : 'not'} ${title}`, async (world) => {
    const origin = toOrigin(world, world.ann, 'password');
    await assertOutcome(world, change, origin, isPermitted ? /^changed$/ : FORBIDDEN);
  });

  inWorld(`A caller without a sign-in cannot ${title}`, async (world) => {
    await assertOutcome(world, change, { ...ORIGIN, at: NOW, signIn: 'none' }, /^unauthenticated$/);
  });
}

inWorld('A registration needs no right, also with an author whose sign-in has ended', async (world) => {
  await world.changes.update(world.ann, { isDisabled: true }, ORIGIN);
  const outcome = await world.users.register(NEW_USER, toOrigin(world, world.ann, 'password'));
  assert.equal(wordOf(outcome), 'changed');
});

/** A change that is refused changes no data, not even the audit trail. */
async function assertOutcome(world: World, change: Change, origin: Origin, expected: RegExp) {
  const readAll = () => Promise.all(['users', 'projects', 'tokens', 'audit_events'].map((table) =>
    world.database.read(sql(`SELECT * FROM ${table} ORDER BY id`))));
  const before = await readAll();
  const word = wordOf(await change(world, origin));
  assert.match(word, expected);
  (word === 'changed' ? assert.notDeepEqual : assert.deepEqual)(await readAll(), before);
}

function toOrigin({ rootToken }: World, user: User, signIn: string): Origin {
  const at = signIn === 'expired token' ? toTimestamp(9_000) : NOW;
  return signIn === 'password'
    ? { ...ORIGIN, at, user, signIn, passwordVersion: 1 }
    : { ...ORIGIN, at, user, signIn: 'token', tokenId: rootToken.id };
}

function inWorld(title: string, check: (world: World) => Promise<void>): void {
  withStores(title, async (stores) => {
    const root = await stores.addUser('root', { isAdmin: true });
    await stores.addUser('boss', { isAdmin: true });
    await stores.addProject('p', stores.ann);
    const expiresAt = toTimestamp(5_000);
    const token = await stores.addToken('t', stores.ann, { expiresAt });
    const rootToken = await stores.addToken('r', root, { expiresAt });
    await check({ ...stores, root, token, rootToken });
  });
}
