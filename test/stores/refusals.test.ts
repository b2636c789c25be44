/**
 * At first, several reasons exist to refuse a change. After each refusal, the test removes the reported
 * reason, and repeats the change. A refused change must write nothing, not even an event.
 */
import assert from 'node:assert/strict';
import { makePasswordLink } from '../../src/extras/password-links/password-links.ts';
import type { Origin } from '../../src/model/audit.ts';
import type { TokenId } from '../../src/model/token.ts';
import type { ExpectedVersion } from '../../src/stores/guards.ts';
import { sql } from '../support/sql.ts';
import { HASH, ORIGIN, withStores, wordOf, type World as Stores } from '../support/stores.ts';

interface Parts {
  readonly caller: 'ann' | 'carol' | 'root';
  readonly signIn: 'none' | 'wrong password' | 'password' | 'token' | TokenName;
  /** In a closed directory, users can read only their own records. */
  readonly isClosed: boolean;
  readonly target: string;
  readonly name: string;
  /** The new owner, or '' if the owner does not change. */
  readonly owner: string;
  readonly passwordVersion: number;
  readonly expected: ExpectedVersion;
}

type World = Awaited<ReturnType<typeof fill>>;
type TokenName = keyof World['tokenIds'];
type Attempt = (world: World, parts: Parts, origin: Origin) => Promise<Parameters<typeof wordOf>[0]>;
type Row = readonly [refusal: string, obstacle: string, remove: Partial<Parts> | ((world: World) => unknown)];

const HIDDEN: Partial<Parts> = { isClosed: false };
const STALE: Row = ['preconditionFailed', 'a stale version', { expected: undefined }];

const START: Parts = {
  caller: 'carol', signIn: 'wrong password', isClosed: true, target: 'nobody', name: 'TAKEN', owner: '',
  passwordVersion: 9, expected: 'unmet',
};

function withFilled(title: string, check: (world: World) => Promise<void>): void {
  const limits = { projectsPerUserMax: 1, tokensPerUserMax: 3 };
  withStores(title, async (stores) => check(await fill(stores)), limits);
}

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
    ({ insertToken, ann }, _, origin) => insertToken(ann, {}, origin),
    ['unauthenticated', 'a wrong password', { caller: 'ann', signIn: 'read-only token' }],
    ['unauthenticated', 'a token of a narrow scope', { signIn: 'token for programs' }],
    ['unauthenticated', 'a token for certain programs', { signIn: 'token of carol' }],
    ['unauthenticated', 'the token of another', { caller: 'carol', signIn: 'password' }],
    ['unauthenticated', 'another caller', { caller: 'ann' }],
    ['tooManyTokens', 'as many tokens as allowed', ({ tokens, ann }) => tokens.revokeAllOf(ann, ORIGIN)],
  ],
  'revoke a token': [
    ({ tokens, tokenIds }, { target }, origin) =>
      tokens.revoke({ id: target === 'ann' ? tokenIds['token of ann'] : 99 as TokenId }, origin),
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
    ({ database }, { target }, origin) => makePasswordLink(database, '', { name: target }, origin),
    ['unauthenticated', 'a wrong password', { signIn: 'token' }],
    ['administratorOnly', 'a plain user', ({ promote }) => promote('carol')],
    ['noSuchUser', 'an unknown user', { target: 'root' }],
    ['passwordNeeded', 'a token, for an administrator', { signIn: 'password' }],
  ],
};

/**
 * Each row describes a loss of rights: a title, the expected refusals, the affected kinds of sign-in, and the
 * SQL that causes the loss.
 */
const LOSSES = [
  ['demotion', /Only$|^noSuchToken$/, ['password', 'token'], 'UPDATE users SET is_admin = 0 WHERE id = ?'],
  ['disabling', /^unauthenticated$/, ['password', 'token'], 'UPDATE users SET disabled = 1 WHERE id = ?'],
  ['deletion', /^unauthenticated$/, ['password', 'token'],
    'DELETE FROM projects WHERE owner_id = ?', 'DELETE FROM users WHERE id = ?'],
  ['a new password', /^unauthenticated$/, ['password'],
    'UPDATE users SET password_version = password_version + 1 WHERE id = ?'],
  ['revocation', /^unauthenticated$/, ['token'], 'DELETE FROM tokens WHERE user_id = ?'],
  ['expiration', /^unauthenticated$/, ['token'],
    `UPDATE tokens SET expires_at = '${ORIGIN.at}' WHERE user_id = ?`],
  ['nothing', /^unauthenticated$/, ['none']],
] as const;

for (const [title, [attempt, ...rows]] of Object.entries(CHANGES)) {
  const order = rows.map(([refusal]) => refusal).join(', ');
  withFilled(`An attempt to ${title} is refused in this order: ${order}`, async (world) => {
    let parts = START;
    for (const [refusal, obstacle, remove] of rows) {
      await assertRefused(world, attempt, parts, new RegExp(`^${refusal}$`), obstacle);
      parts = await clear(world, parts, remove);
    }
    assert.equal(wordOf(await attempt(world, parts, toOrigin(world, parts))), 'changed');
  });

  for (const [loss, refusal, signIns, ...statements] of LOSSES) {
    if (title === 'issue a token' && loss === 'demotion') {
      continue; // a user needs no role to issue a token
    }
    for (const signIn of signIns) {
      withFilled(`An attempt to ${title} is refused after ${loss} (sign-in: ${signIn})`, async (world) => {
        let parts = START;
        for (const [, , remove] of rows) {
          parts = await clear(world, parts, remove);
        }
        if (loss === 'demotion') { // only administrators can change records of other users
          parts = { ...parts, caller: parts.target === 'root' ? 'carol' : 'root' };
        }
        const { id } = world[parts.caller];
        await world.database.write(statements.map((text) => sql(text, id)));
        await assertRefused(world, attempt, { ...parts, signIn }, refusal, loss);
      });
    }
  }
}

withStores('A registration needs no right, also with an author whose sign-in has ended', async (stores) => {
  const user = stores.ann;
  await stores.changes.update(user, { isDisabled: true }, ORIGIN);
  const origin: Origin = { ...ORIGIN, user, signIn: 'password', passwordVersion: 1 };
  const added = { username: 'new', email: '', passwordHash: HASH, isAdmin: false };
  assert.equal(wordOf(await stores.users.insert(added, origin, 'anybody')), 'changed');
});

withStores('Of two users who become the first administrator at once, one is inserted', async ({ users }) => {
  const insert = async (username: string) => wordOf(
    await users.insert({ username, email: '', passwordHash: HASH, isAdmin: true }, ORIGIN, 'first'),
  );
  const words = await Promise.all(['root', 'boss'].map(insert));
  assert.deepEqual(words.toSorted(), ['administratorOnly', 'changed']);
});

async function clear(world: World, parts: Parts, remove: Row[2]): Promise<Parts> {
  return typeof remove === 'function' ? (await remove(world), parts) : { ...parts, ...remove };
}

async function assertRefused(
  world: World, attempt: Attempt, parts: Parts, refusal: RegExp, obstacle: string,
): Promise<void> {
  const readAll = () => Promise.all(['users', 'projects', 'tokens', 'audit_events'].map((table) =>
    world.database.read(sql(`SELECT * FROM ${table} ORDER BY id`))));
  const before = await readAll();
  assert.match(wordOf(await attempt(world, parts, toOrigin(world, parts))), refusal, obstacle);
  assert.deepEqual(await readAll(), before, obstacle);
}

/** Ann and bob own as many projects as a user can own. */
async function fill(stores: Stores) {
  const { addUser, addProject, addToken, changes, ann, bob } = stores;
  const [root, carol] = [await addUser('root', { isAdmin: true }), await addUser('carol')];
  await addProject('p', ann);
  await addProject('taken', bob);
  const promote = (name: string) => changes.update({ name }, { isAdmin: true }, ORIGIN);
  const add = async (...token: Parameters<typeof addToken>) => (await addToken(...token)).id;
  return {
    ...stores, root, carol, promote,
    tokenIds: {
      'read-only token': await add(ann, { scope: 'read_only' }),
      'token for programs': await add(ann, { audience: ['wiki.example.org'] }),
      'token of ann': await add(ann),
      'token of carol': await add(carol),
      'token of root': await add(root),
    },
    async makeOnlyAdministrator(name: string) {
      await promote(name);
      await changes.update({ name: 'root' }, { isAdmin: false }, ORIGIN);
    },
  };
}

function toOrigin(world: World, { caller, signIn, isClosed }: Parts): Origin {
  const { tokenIds, [caller]: user } = world;
  if (signIn === 'none') {
    return { ...ORIGIN, signIn };
  }
  const isPassword = signIn === 'password' || signIn === 'wrong password';
  const token: TokenName | false = !isPassword && (signIn === 'token' ? `token of ${caller}` : signIn);
  return {
    ...ORIGIN, user, signIn: isPassword ? 'password' : 'token',
    tokenId: token === false ? undefined : tokenIds[token],
    passwordVersion: signIn === 'password' ? 1 : undefined,
    visibleUserId: isClosed && caller !== 'root' ? user.id : undefined,
  };
}
