/** Tests when tokens are issued and revoked. test/api/ tests what callers see. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Origin } from '../../src/model/audit.ts';
import type { Token, TokenDigest, TokenId, TokenScope } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { openStores as openEmptyStores } from '../support/stores.ts';

const PASSWORD: Proof = { signIn: 'password', passwordVersion: 1 };

/**
 * The proofs of a sign-in with which ann requests a new token at the time 5000 ms. Each function prepares a
 * world and returns a proof.
 */
const PROOFS: Readonly<Record<string, (world: World) => Proof | Promise<Proof>>> = {
  'for the current password': () => PASSWORD,
  'for a password that was changed': () => ({ ...PASSWORD, passwordVersion: 0 }),
  'with a token that is valid': async ({ ann, issue }) => issuedWith(await issue('a', ann)),
  'with a token that was revoked': async ({ tokens, ann, issue }) => {
    const parent = await issue('a', ann);
    await tokens.revoke(parent, ORIGIN);
    return issuedWith(parent);
  },
  'with a token that never existed': () => issuedWith({ id: 9 as TokenId }),
  'with a token that is read-only': async ({ ann, issue }) =>
    issuedWith(await issue('a', ann, { scope: 'read_only' })),
  'with a token that is for certain programs': async ({ ann, issue }) =>
    issuedWith(await issue('a', ann, { audience: ['wiki.example.org'] })),
  'with a token at the moment it expires': async ({ ann, issue }) =>
    issuedWith(await issue('a', ann, { expiresAtMs: 5_000 })),
  'with the token of another user': async ({ bob, issue }) => issuedWith(await issue('a', bob)),
  'to a disabled user': async ({ changes, ann }) => {
    await changes.update(ann, { isDisabled: true }, ORIGIN);
    return PASSWORD;
  },
};

const ENOUGH = ['for the current password', 'with a token that is valid'];

for (const [title, prove] of Object.entries(PROOFS)) {
  const isIssued = ENOUGH.includes(title);
  test(`${isIssued ? 'A' : 'No'} token is issued ${title}`, async (context) => {
    const world = await openStores(context);
    const outcome = await world.insert('new', world.ann, { atMs: 5_000, proof: await prove(world) });
    assert.equal(wordOf(outcome), isIssued ? 'changed' : 'unauthenticated');
    assert.deepEqual(await world.findOwners('new'), [isIssued ? world.ann : undefined]);
  });
}

for (const [expiresAtMs, expected] of [[4_999, 4_999], [5_000, 5_000], [5_001, 5_000]] as const) {
  test(`A token for ${expiresAtMs} ms from one of 5000 ms expires at ${expected} ms`, async (context) => {
    const { ann, issue } = await openStores(context);
    const parent = await issue('parent', ann, { expiresAtMs: 5_000 });
    const child = await issue('child', ann, { expiresAtMs, proof: issuedWith(parent) });
    const grandchild = await issue('grandchild', ann, { proof: issuedWith(child) });
    assert.deepEqual([child.expiresAt, grandchild.expiresAt], Array(2).fill(toTimestamp(expected)));
  });
}

test('Revoking a token revokes its descendants, but not its parent or siblings', async (context) => {
  const { tokens, ann, issue, findOwners } = await openStores(context);
  const issueBy = (digest: string, by: Token) => issue(digest, ann, { proof: issuedWith(by) });
  const root = await issue('root', ann);
  const [parent, sibling] = [await issueBy('parent', root), await issueBy('sibling', root)];
  const child = await issueBy('child', parent);
  await issueBy('grandchild', child);
  await issueBy('niece', sibling);
  assert.equal(wordOf(await tokens.revoke(parent, ORIGIN)), 'changed');
  const owners = await findOwners('root', 'parent', 'child', 'grandchild', 'sibling', 'niece');
  assert.deepEqual(owners, [ann, undefined, undefined, undefined, ann, ann]);
});

test('Revoking the first token of a chain revokes all 500 of them', async (context) => {
  const { tokens, ann, issue, findOwners } = await openStores(context);
  const first = await issue('0', ann);
  for (let number = 1, last = first; number < 500; number += 1) {
    last = await issue(String(number), ann, { proof: issuedWith(last) });
  }
  await tokens.revoke(first, ORIGIN);
  assert.deepEqual(await findOwners('1', '250', '499'), [undefined, undefined, undefined]);
});

test('A new password spares the token in use, but revokes its parent and children', async (context) => {
  const { tokens, changes, ann, issue, findOwners } = await openStores(context);
  const parent = await issue('parent', ann);
  const inUse = await issue('in use', ann, { proof: issuedWith(parent) });
  await issue('child', ann, { proof: issuedWith(inUse) });
  await changes.setPassword(ann, { passwordHash: 'new' as PasswordHash, sparedTokenId: inUse.id }, ORIGIN);
  assert.equal(wordOf(await tokens.revoke(parent, ORIGIN)), 'noSuchToken');
  assert.deepEqual(await findOwners('parent', 'in use', 'child'), [undefined, ann, undefined]);
});

test('A digest cannot be inserted twice, and stays with its first owner', async (context) => {
  const { ann, bob, issue, findOwners } = await openStores(context);
  await issue('a', ann);
  await assert.rejects(issue('a', bob), /UNIQUE/);
  assert.deepEqual(await findOwners('a'), [ann]);
});

function issuedWith({ id: tokenId }: Pick<Token, 'id'>): Proof {
  return { signIn: 'token', tokenId };
}

type World = Awaited<ReturnType<typeof openStores>>;
type Proof = Pick<Origin, 'signIn'> & Partial<Pick<Origin, 'tokenId' | 'passwordVersion'>>;

interface Wish {
  readonly expiresAtMs?: number;
  readonly proof?: Proof;
  readonly scope?: TokenScope;
  readonly audience?: readonly string[];
  readonly atMs?: number;
}

async function openStores(context: TestContext) {
  const { tokens, changes, addUser, insertToken } = await openEmptyStores(context);
  const insert = (
    digest: string, owner: User,
    { expiresAtMs = 1_000_000, proof = PASSWORD, atMs = 0, ...given }: Wish = {},
  ) => insertToken(
    digest, owner, { expiresAt: toTimestamp(expiresAtMs), ...given },
    { ...ORIGIN, at: toTimestamp(atMs), user: owner, ...proof },
  );
  return {
    tokens, changes, insert,
    ann: await addUser('ann'),
    bob: await addUser('bob'),
    async issue(digest: string, owner: User, given: Wish = {}) {
      const outcome = await insert(digest, owner, given);
      assert(outcome.kind === 'changed');
      return outcome.result;
    },
    findOwners: (...digests: readonly string[]) => Promise.all(digests.map(async (digest) =>
      (await tokens.findWithOwner(digest as TokenDigest, toTimestamp(0)))?.user)),
  };
}
