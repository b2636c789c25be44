import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Origin } from '../../src/model/audit.ts';
import type { TokenDigest, TokenId, TokenScope } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { openStores as openEmptyStores } from '../support/stores.ts';

const PASSWORD: Proof = { signIn: 'password', passwordVersion: 1 };

for (const [atMs, isValid] of [[0, true], [9_999, true], [10_000, false], [10_001, false]] as const) {
  test(`A token for 10000 ms is ${isValid ? 'valid' : 'expired'} at ${atMs} ms`, async (context) => {
    const { ann, issue, findOwner } = await openStores(context);
    await issue('a', ann, { expiresAtMs: 10_000 });
    assert.deepEqual(await findOwner('a', atMs), isValid ? ann : undefined);
  });
}

test('A token that was never issued has no owner', async (context) => {
  const { ann, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  assert.deepEqual(
    await Promise.all(['b', 'A', '', 'a%'].map((digest) => findOwner(digest))), Array(4).fill(undefined),
  );
});

test('Revoking all tokens of a user spares other users, and succeeds if there is none', async (context) => {
  const { tokens, ann, bob, issue, findOwner } = await openStores(context);
  await tokens.revokeAllOf(ann, ORIGIN);
  for (const [digest, user] of [['a1', ann], ['a2', ann], ['b1', bob]] as const) {
    await issue(digest, user);
  }
  await tokens.revokeAllOf(ann, ORIGIN);
  assert.deepEqual(await Promise.all(['a1', 'a2', 'b1'].map((digest) => findOwner(digest))), [
    undefined, undefined, bob,
  ]);
});

test('A token finds the current state of its owner, or none while the owner is disabled', async (context) => {
  const { changes, ann, bob, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  await changes.update(ann, { isAdmin: true }, ORIGIN);
  assert.deepEqual(await findOwner('a'), { ...ann, isAdmin: true, version: 2 });
  await issue('b', bob);
  await changes.update(bob, { isDisabled: true }, ORIGIN);
  assert.equal(await findOwner('b'), undefined);
});

test('Deleting a user deletes the tokens of the user', async (context) => {
  const { changes, ann, issue, findOwner, digests } = await openStores(context);
  await issue('a', ann);
  assert.equal(wordOf(await changes.delete(ann, { kind: 'refuse' }, ORIGIN)), 'changed');
  assert.equal(await findOwner('a'), undefined);
  assert.deepEqual(await digests(), []);
});

for (const [title, proof, isIssued] of [
  ['the current password', PASSWORD, true],
  ['a password that was changed', { signIn: 'password', passwordVersion: 0 }, false],
  ['a token that is valid', { signIn: 'token', tokenId: 1 as TokenId }, true],
  ['a token that was revoked', { signIn: 'token', tokenId: 2 as TokenId }, false],
  ['a token that never existed', { signIn: 'token', tokenId: 9 as TokenId }, false],
] as const) {
  test(`A token is ${isIssued ? '' : 'not '}issued for ${title}`, async (context) => {
    const { tokens, ann, issue, insert, findOwner } = await openStores(context);
    await issue('1', ann);
    await tokens.revoke(await issue('2', ann), ORIGIN);
    assert.equal(wordOf(await insert('new', ann, { proof })), isIssued ? 'changed' : 'unauthenticated');
    assert.deepEqual(await findOwner('new'), isIssued ? ann : undefined);
  });
}

for (const [title, parent, atMs, reason] of [
  ['that is read-only', { scope: 'read_only' }, 0, 'unauthenticated'],
  ['that is for certain programs', { audience: ['wiki.example.org'] }, 0, 'unauthenticated'],
  ['at the moment it expires', { expiresAtMs: 5_000 }, 5_000, 'unauthenticated'],
] as const) {
  test(`No token is issued with a token ${title}`, async (context) => {
    const { ann, issue, insert } = await openStores(context);
    const { id: tokenId } = await issue('parent', ann, parent);
    const outcome = await insert('child', ann, { proof: { signIn: 'token', tokenId }, atMs });
    assert.equal(wordOf(outcome), reason);
  });
}

test('No token is issued with the token of another user', async (context) => {
  const { ann, bob, issue, insert } = await openStores(context);
  const { id: tokenId } = await issue('ann', ann);
  const outcome = await insert('bob', bob, { proof: { signIn: 'token', tokenId } });
  assert.equal(wordOf(outcome), 'unauthenticated');
});

for (const [expiresAtMs, expected] of [[4_999, 4_999], [5_000, 5_000], [5_001, 5_000]] as const) {
  test(`A token for ${expiresAtMs} ms from one of 5000 ms expires at ${expected} ms`, async (context) => {
    const { ann, issue } = await openStores(context);
    const { id: tokenId } = await issue('parent', ann, { expiresAtMs: 5_000 });
    const child = await issue('child', ann, { expiresAtMs, proof: { signIn: 'token', tokenId } });
    const grandchild = await issue('grandchild', ann, { proof: { signIn: 'token', tokenId: child.id } });
    assert.deepEqual([child.expiresAt, grandchild.expiresAt], Array(2).fill(toTimestamp(expected)));
  });
}

test('Revoking a token revokes its descendants, but not its parent or siblings', async (context) => {
  const { tokens, ann, issue, findOwner } = await openStores(context);
  const issueBy = async (digest: string, { id: tokenId }: { id: TokenId }) =>
    issue(digest, ann, { proof: { signIn: 'token', tokenId } });
  const root = await issue('root', ann);
  const [parent, sibling] = [await issueBy('parent', root), await issueBy('sibling', root)];
  const child = await issueBy('child', parent);
  await issueBy('grandchild', child);
  await issueBy('niece', sibling);
  assert.equal(wordOf(await tokens.revoke(parent, ORIGIN)), 'changed');
  const digests = ['root', 'parent', 'child', 'grandchild', 'sibling', 'niece'];
  const owners = await Promise.all(digests.map((digest) => findOwner(digest)));
  assert.deepEqual(owners, [ann, undefined, undefined, undefined, ann, ann]);
});

test('Revoking the first token of a chain revokes all 500 of them', async (context) => {
  const { tokens, ann, issue, findOwner } = await openStores(context);
  const first = await issue('0', ann);
  let { id: tokenId } = first;
  for (let number = 1; number < 500; number += 1) {
    tokenId = (await issue(String(number), ann, { proof: { signIn: 'token', tokenId } })).id;
  }
  await tokens.revoke(first, ORIGIN);
  const owners = await Promise.all(['1', '250', '499'].map((digest) => findOwner(digest)));
  assert.deepEqual(owners, [undefined, undefined, undefined]);
});

test('A new password spares the token in use, but revokes its parent and children', async (context) => {
  const { tokens, changes, ann, issue, findOwner } = await openStores(context);
  const parent = await issue('parent', ann);
  const inUse = await issue('in use', ann, { proof: { signIn: 'token', tokenId: parent.id } });
  await issue('child', ann, { proof: { signIn: 'token', tokenId: inUse.id } });
  await changes.setPassword(ann, { passwordHash: 'new' as PasswordHash, sparedTokenId: inUse.id }, ORIGIN);
  assert.equal(wordOf(await tokens.revoke(parent, ORIGIN)), 'noSuchToken');
  const owners = await Promise.all(['parent', 'in use', 'child'].map((digest) => findOwner(digest)));
  assert.deepEqual(owners.map((owner) => owner?.id), [undefined, ann.id, undefined]);
});

test('No token is issued to a disabled user', async (context) => {
  const { changes, ann, insert } = await openStores(context);
  await changes.update(ann, { isDisabled: true }, ORIGIN);
  assert.equal(wordOf(await insert('a', ann)), 'unauthenticated');
});

test('A use is recorded only if the last recorded use is older than the given time', async (context) => {
  const { tokens, ann, issue, find } = await openStores(context);
  const { id } = await issue('a', ann);
  const lastUsed = async () => (await find('a'))?.token.lastUsed;
  await tokens.recordUse(id, { at: toTimestamp(5), unlessSince: toTimestamp(0) });
  assert.equal(await lastUsed(), toTimestamp(5));
  await tokens.recordUse(id, { at: toTimestamp(8), unlessSince: toTimestamp(4) });
  assert.equal(await lastUsed(), toTimestamp(5));
  await tokens.recordUse(id, { at: toTimestamp(8), unlessSince: toTimestamp(5) });
  assert.equal(await lastUsed(), toTimestamp(8));
});

test('Only tokens that expired or were revoked before a date are removed, in batches', async (context) => {
  const { tokens, ann, bob, issue, digests } = await openStores(context);
  await issue('living', bob);
  for (const [digest, expiresAtMs] of [['e1', 100], ['e2', 200], ['e3', 300]] as const) {
    await issue(digest, ann, { expiresAtMs });
  }
  for (const [digest, atMs] of [['r1', 100], ['r2', 200], ['r3', 300]] as const) {
    await tokens.revoke(await issue(digest, bob), { ...ORIGIN, at: toTimestamp(atMs) });
  }
  assert.equal(await tokens.removeEnded(toTimestamp(300), 1), 1);
  assert.equal((await digests()).length, 6);
  assert.equal(await tokens.removeEnded(toTimestamp(300), 100), 3);
  assert.deepEqual(await digests(), ['e3', 'living', 'r3']);
  assert.equal(await tokens.removeEnded(toTimestamp(300), 100), 0);
});

test('A digest cannot be inserted twice, and stays with its first owner', async (context) => {
  const { ann, bob, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  await assert.rejects(issue('a', bob), /UNIQUE/);
  assert.deepEqual(await findOwner('a'), ann);
});

type Proof = Pick<Origin, 'signIn'> & Partial<Pick<Origin, 'tokenId' | 'passwordVersion'>>;

interface Wish {
  readonly expiresAtMs?: number;
  readonly proof?: Proof;
  readonly scope?: TokenScope;
  readonly audience?: readonly string[];
  readonly atMs?: number;
}

/** Opens the stores with two users. */
async function openStores(context: TestContext) {
  const { database, tokens, changes, addUser } = await openEmptyStores(context);
  const insert = (
    digest: string, owner: User,
    { expiresAtMs = 1_000_000, proof = PASSWORD, scope = 'full', audience, atMs = 0 }: Wish = {},
  ) => tokens.insert({
    digest: digest as TokenDigest, lastFour: digest, owner, name: '', scope, audience,
    dateCreated: toTimestamp(atMs), expiresAt: toTimestamp(expiresAtMs),
  }, { ...ORIGIN, at: toTimestamp(atMs), user: owner, ...proof });
  const find = (digest: string, atMs = 0) =>
    tokens.findWithOwner(digest as TokenDigest, toTimestamp(atMs));
  return {
    tokens, changes, insert,
    ann: await addUser('ann'),
    bob: await addUser('bob'),
    async issue(digest: string, owner: User, given: Wish = {}) {
      const outcome = await insert(digest, owner, given);
      assert(outcome.kind === 'changed');
      return outcome.result;
    },
    find,
    findOwner: async (digest: string, atMs = 0) => (await find(digest, atMs))?.user,
    async digests(): Promise<readonly unknown[]> {
      const rows = await database.read({ sql: 'SELECT digest FROM tokens ORDER BY digest', parameters: [] });
      return rows.map((row) => row['digest']);
    },
  };
}
