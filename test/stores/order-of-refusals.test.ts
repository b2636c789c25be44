/**
 * Tests the order of the refusals of each change. The first attempt at a change meets all obstacles. Each row
 * names the expected refusal, and then removes the obstacle that causes the refusal, so the test reaches the
 * next row only if the order is right. A refused change must write no event.
 */
import assert from 'node:assert/strict';
import { createPasswordLinkStore } from '../../src/extras/password-links/store.ts';
import type { Origin } from '../../src/model/audit.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { TokenDigest, TokenId } from '../../src/model/token.ts';
import type { ExpectedVersion } from '../../src/stores/guards.ts';
import { sql } from '../support/sql.ts';
import { HASH, ORIGIN, withStores, wordOf, type World as Stores } from '../support/stores.ts';

interface Parts {
  readonly caller: 'ann' | 'carol' | 'root';
  readonly signIn: 'wrong password' | 'password' | 'token' | 'read-only token';
  /** True if users who are not administrators may read only their own records. */
  readonly isClosed: boolean;
  /** The name of the record to change. */
  readonly target: string;
  /** The new name of the record. */
  readonly name: string;
  /** The new owner; empty if the owner does not change. */
  readonly owner: string;
  readonly passwordVersion: number;
  readonly expected: ExpectedVersion;
}

type World = Awaited<ReturnType<typeof fill>>;
type Attempt = (world: World, parts: Parts, origin: Origin) => Promise<Parameters<typeof wordOf>[0]>;
/**
 * A row: the expected refusal, the obstacle that causes the refusal, and the function that removes the
 * obstacle.
 */
type Row = readonly [refusal: string, obstacle: string, remove: Partial<Parts> | ((world: World) => unknown)];

const HIDDEN: Partial<Parts> = { isClosed: false };
const STALE: Row = ['preconditionFailed', 'a stale version', { expected: 'any' }];

const CHANGES: Readonly<Record<string, readonly [Attempt, ...Row[]]>> = {
  'create a project': [
    ({ projects }, { name, owner }, origin) =>
      projects.insert({ name, description: '', owner: { name: owner } }, origin),
    ['unauthenticated', 'a wrong password', { signIn: 'password', owner: 'nobody', caller: 'ann' }],
    ['unknownOwner', 'an unknown owner', { owner: 'bob' }],
    ['unknownOwner', 'a hidden owner', HIDDEN],
    ['ownProjectsOnly', 'another owner', { owner: 'ann' }],
    ['tooManyProjects', 'a full owner', ({ projects }) => projects.delete({ name: 'p' }, ORIGIN)],
    ['projectNameTaken', 'a taken name', { name: 'free' }],
  ],
  'change a project': [
    ({ projects }, { target, name, owner, expected }, origin) =>
      projects.update({ name: target }, { name, ...(owner !== '' && { owner }) }, origin, expected),
    ['unauthenticated', 'a wrong password', { signIn: 'password', owner: 'nobody' }],
    ['noSuchProject', 'an unknown project', { target: 'p' }],
    ['noSuchProject', 'a hidden project', HIDDEN],
    ['projectOwnerOnly', 'the project of another', { caller: 'ann' }],
    ['unknownOwner', 'an unknown receiver', { owner: 'bob' }],
    ['transferByAdministratorOnly', 'a plain user', { caller: 'root' }],
    ['tooManyProjects', 'a full receiver', ({ projects }) =>
      projects.update({ name: 'taken' }, { owner: 'carol' }, ORIGIN)],
    ['projectNameTaken', 'a taken name', { name: 'free' }],
    STALE,
  ],
  'delete a project': [
    ({ projects }, { target, expected }, origin) => projects.delete({ name: target }, origin, expected),
    ['unauthenticated', 'a wrong password', { signIn: 'password' }],
    ['noSuchProject', 'an unknown project', { target: 'p' }],
    ['noSuchProject', 'a hidden project', HIDDEN],
    ['projectOwnerOnly', 'the project of another', { caller: 'ann' }],
    STALE,
  ],
  'create a user': [
    ({ users }, { name: username }, origin) =>
      users.insert({ username, email: '', passwordHash: HASH, isAdmin: false }, origin),
    ['unauthenticated', 'a wrong password', { signIn: 'password', name: 'BOB' }],
    ['administratorOnly', 'a plain user', { caller: 'root' }],
    ['usernameTaken', 'a taken name', { name: 'dan' }],
  ],
  'rename and disable a user': [
    ({ changes }, { target, name: username, expected }, origin) =>
      changes.update({ name: target }, { username, isDisabled: true }, origin, expected),
    ['unauthenticated', 'a wrong password', { signIn: 'token', name: 'BOB' }],
    ['noSuchUser', 'an unknown user', { target: 'ann' }],
    ['noSuchUser', 'a hidden user', HIDDEN],
    ['ownAccountOnly', 'the account of another', { caller: 'ann' }],
    ['rightsByAdministratorOnly', 'a plain user', (world) => world.makeOnlyAdministrator('ann')],
    ['passwordNeeded', 'a token', { signIn: 'password' }],
    ['usernameTaken', 'a taken name', { name: 'anna' }],
    ['lastAdministrator', 'no other administrator', ({ promote }) => promote('carol')],
    STALE,
  ],
  'set a password': [
    ({ changes }, { target, passwordVersion: checkedVersion, expected }, origin) =>
      changes.setPassword({ name: target }, { passwordHash: HASH, checkedVersion }, origin, expected),
    ['unauthenticated', 'a wrong password', { signIn: 'token' }],
    ['noSuchUser', 'an unknown user', { target: 'root' }],
    ['noSuchUser', 'a hidden user', HIDDEN],
    ['ownAccountOnly', 'the account of another', ({ promote }) => promote('carol')],
    ['passwordNeeded', 'a token, for another administrator', { signIn: 'password' }],
    ['wrongPassword', 'a password that was replaced', { passwordVersion: 1 }],
    STALE,
  ],
  'delete a user': [
    ({ changes }, { target, owner: newOwner, expected }, origin) => changes.delete(
      { name: target }, newOwner === '' ? { kind: 'refuse' } : { kind: 'transfer', newOwner },
      origin, expected,
    ),
    ['unauthenticated', 'a wrong password', { signIn: 'token' }],
    ['noSuchUser', 'an unknown user', { target: 'ann' }],
    ['noSuchUser', 'a hidden user', HIDDEN],
    ['ownAccountOnly', 'the account of another', { caller: 'ann' }],
    ['passwordNeeded', 'a token', { signIn: 'password' }],
    ['projectsOwned', 'a project', { owner: 'nobody' }],
    ['unknownOwner', 'an unknown receiver', { owner: 'ann' }],
    ['invalidParameter', 'the user as the receiver', { owner: 'bob' }],
    ['transferByAdministratorOnly', 'a plain user', (world) => world.makeOnlyAdministrator('ann')],
    ['tooManyProjects', 'a full receiver', ({ projects }) => projects.delete({ name: 'taken' }, ORIGIN)],
    ['lastAdministrator', 'no other administrator', ({ promote }) => promote('carol')],
    STALE,
  ],
  'issue a token': [
    ({ insertToken, ann }, _, origin) => insertToken('new', ann, {}, origin),
    ['unauthenticated', 'a wrong password', { caller: 'ann', signIn: 'read-only token' }],
    ['unauthenticated', 'a token of a narrow scope', { signIn: 'password' }],
    ['tooManyTokens', 'as many tokens as allowed', ({ tokens, ann }) => tokens.revokeAllOf(ann, ORIGIN)],
  ],
  'revoke a token': [
    ({ tokens, tokenIds }, { target }, origin) =>
      tokens.revoke({ id: tokenIds[target as 'ann'] ?? (99 as TokenId) }, origin),
    ['unauthenticated', 'a wrong password', { signIn: 'password' }],
    ['noSuchToken', 'an unknown token', { target: 'ann' }],
    ['noSuchToken', 'the token of another', { caller: 'ann' }],
  ],
  'revoke all tokens': [
    ({ tokens }, { target }, origin) => tokens.revokeAllOf({ name: target }, origin),
    ['unauthenticated', 'a wrong password', { signIn: 'password' }],
    ['ownTokensOnly', 'the tokens of another', { caller: 'root' }],
    ['noSuchUser', 'an unknown user', { target: 'bob' }],
    ['noSuchToken', 'no valid token', { target: 'ann' }],
  ],
  'make a password link': [
    ({ links }, { target }, origin) => links.insert(
      { name: target }, { digest: 'link' as TokenDigest, lastFour: '', expiresAt: toTimestamp(1_000) },
      origin,
    ),
    ['unauthenticated', 'a wrong password', { signIn: 'token' }],
    ['administratorOnly', 'a plain user', ({ promote }) => promote('carol')],
    ['noSuchUser', 'an unknown user', { target: 'root' }],
    ['passwordNeeded', 'a token, for an administrator', { signIn: 'password' }],
  ],
};

for (const [title, [attempt, ...rows]] of Object.entries(CHANGES)) {
  const order = rows.map(([refusal]) => refusal).join(', ');
  withStores(`An attempt to ${title} is refused in this order: ${order}`, async (stores) => {
    const world = await fill(stores);
    let parts: Parts = {
      caller: 'carol', signIn: 'wrong password', isClosed: true, target: 'nobody', name: 'TAKEN', owner: '',
      passwordVersion: 9, expected: 'unmet',
    };
    const run = async () => wordOf(await attempt(world, parts, toOrigin(world, parts)));
    const readEvents = () => world.database.read(sql('SELECT * FROM audit_events ORDER BY id'));
    for (const [refusal, obstacle, remove] of rows) {
      const before = await readEvents();
      assert.equal(await run(), refusal, obstacle);
      assert.deepEqual(await readEvents(), before, obstacle);
      parts = typeof remove === 'function' ? (await remove(world), parts) : { ...parts, ...remove };
    }
    assert.equal(await run(), 'changed');
  }, { projectsPerUserMax: 1, tokensPerUserMax: 2 });
}

/** Inserts the administrator root, and carol. Gives ann and bob as many projects as a user may own. */
async function fill(stores: Stores) {
  const { addUser, addProject, addToken, changes, ann, bob } = stores;
  const [root, carol] = [await addUser('root', { isAdmin: true }), await addUser('carol')];
  await addProject('p', ann);
  await addProject('taken', bob);
  const promote = (name: string) => changes.update({ name }, { isAdmin: true }, ORIGIN);
  return {
    ...stores, root, carol, promote, links: createPasswordLinkStore(stores.database),
    readOnlyId: (await addToken('read', ann, { scope: 'read_only' })).id,
    tokenIds: {
      ann: (await addToken('a', ann)).id, carol: (await addToken('c', carol)).id, root: undefined,
    },
    async makeOnlyAdministrator(name: string) {
      await promote(name);
      await changes.update({ name: 'root' }, { isAdmin: false }, ORIGIN);
    },
  };
}

function toOrigin(world: World, { caller, signIn, isClosed }: Parts): Origin {
  const { readOnlyId, tokenIds, [caller]: user } = world;
  const isToken = signIn.endsWith('token');
  return {
    ...ORIGIN, user, signIn: isToken ? 'token' : 'password',
    tokenId: isToken ? (signIn === 'token' ? tokenIds[caller] : readOnlyId) : undefined,
    passwordVersion: signIn === 'password' ? 1 : undefined,
    visibleUserId: isClosed && caller !== 'root' ? user.id : undefined,
  };
}
