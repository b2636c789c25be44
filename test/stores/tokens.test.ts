/** Tests when tokens are issued and revoked. test/api/ tests what callers see. */
import assert from 'node:assert/strict';
import type { Origin } from '../../src/model/audit.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Token, TokenDigest, TokenId, TokenScope } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { ORIGIN, withStores, wordOf, type World } from '../support/stores.ts';

type Proof = Pick<Origin, 'signIn'> & Partial<Pick<Origin, 'tokenId' | 'passwordVersion'>>;

interface Wish {
  readonly expiresAtMs?: number;
  readonly proof?: Proof;
  readonly scope?: TokenScope;
  readonly audience?: readonly string[];
  readonly atMs?: number;
}

const PASSWORD: Proof = { signIn: 'password', passwordVersion: 1 };

/** The passwords and tokens with which ann has signed in when she requests a new token, 5 s after time 0. */
const PROOFS: Readonly<Record<string, (world: World) => Proof | Promise<Proof>>> = {
  'for the current password': () => PASSWORD,
  'for a password that was changed': () => ({ ...PASSWORD, passwordVersion: 0 }),
  'with a token that is valid': async (world) => issuedWith(await issue(world, 'a')),
  'with a token that was revoked': async (world) => {
    const parent = await issue(world, 'a');
    await world.tokens.revoke(parent, ORIGIN);
    return issuedWith(parent);
  },
  'with a token that never existed': () => issuedWith({ id: 9 as TokenId }),
  'with a token that is read-only': async (world) =>
    issuedWith(await issue(world, 'a', { scope: 'read_only' })),
  'with a token that is for certain programs': async (world) =>
    issuedWith(await issue(world, 'a', { audience: ['wiki.example.org'] })),
  'with a token at the moment it expires': async (world) =>
    issuedWith(await issue(world, 'a', { expiresAtMs: 5_000 })),
  'with the token of another user': async (world) => issuedWith(await issue(world, 'a', {}, world.bob)),
  'to a disabled user': async ({ changes, ann }) => {
    await changes.update(ann, { isDisabled: true }, ORIGIN);
    return PASSWORD;
  },
};

const ENOUGH = ['for the current password', 'with a token that is valid'];

for (const [title, prove] of Object.entries(PROOFS)) {
  const isIssued = ENOUGH.includes(title);
  withStores(`${isIssued ? 'A' : 'No'} token is issued ${title}`, async (world) => {
    const outcome = await insert(world, 'new', { atMs: 5_000, proof: await prove(world) });
    assert.equal(wordOf(outcome), isIssued ? 'changed' : 'unauthenticated');
    assert.deepEqual(await findLive(world, ['new']), isIssued ? ['new'] : []);
  });
}

for (const [expiresAtMs, expected] of [[4_999, 4_999], [5_000, 5_000], [5_001, 5_000]] as const) {
  withStores(`A token for ${expiresAtMs} ms from one of 5000 ms expires at ${expected} ms`, async (world) => {
    const parent = await issue(world, 'parent', { expiresAtMs: 5_000 });
    const child = await issue(world, 'child', { expiresAtMs, proof: issuedWith(parent) });
    const grandchild = await issue(world, 'grandchild', { proof: issuedWith(child) });
    assert.deepEqual([child.expiresAt, grandchild.expiresAt], Array(2).fill(toTimestamp(expected)));
  });
}

withStores('Revoking a token revokes its 500 descendants, but not its parent or siblings', async (world) => {
  const root = await issue(world, 'root');
  const parent = await issue(world, 'parent', { proof: issuedWith(root) });
  const sibling = await issue(world, 'sibling', { proof: issuedWith(root) });
  await issue(world, 'niece', { proof: issuedWith(sibling) });
  for (let number = 1, last = parent; number <= 500; number += 1) {
    last = await issue(world, String(number), { proof: issuedWith(last) });
  }
  assert.equal(wordOf(await world.tokens.revoke(parent, ORIGIN)), 'changed');
  assert.deepEqual(
    await findLive(world, ['root', 'parent', '1', '2', '499', '500', 'sibling', 'niece']),
    ['root', 'sibling', 'niece'],
  );
});

withStores('A new password spares the token in use, but revokes its parent and children', async (world) => {
  const parent = await issue(world, 'parent');
  const inUse = await issue(world, 'in use', { proof: issuedWith(parent) });
  await issue(world, 'child', { proof: issuedWith(inUse) });
  const password = { passwordHash: 'new' as PasswordHash, sparedTokenId: inUse.id };
  await world.changes.setPassword(world.ann, password, ORIGIN);
  assert.equal(wordOf(await world.tokens.revoke(parent, ORIGIN)), 'noSuchToken');
  assert.deepEqual(await findLive(world, ['parent', 'in use', 'child']), ['in use']);
});

withStores('A digest cannot be inserted twice, and stays with its first owner', async (world) => {
  await issue(world, 'a');
  await assert.rejects(issue(world, 'a', {}, world.bob), /UNIQUE/);
  assert.deepEqual(await findLive(world, ['a']), ['a']);
});

function issuedWith({ id: tokenId }: Pick<Token, 'id'>): Proof {
  return { signIn: 'token', tokenId };
}

function insert(
  { insertToken, ann }: World, digest: string,
  { expiresAtMs = 1_000_000, proof = PASSWORD, atMs = 0, ...given }: Wish = {}, owner: User = ann,
) {
  const origin = { ...ORIGIN, at: toTimestamp(atMs), user: owner, ...proof };
  return insertToken(digest, owner, { expiresAt: toTimestamp(expiresAtMs), ...given }, origin);
}

async function issue(world: World, digest: string, wish?: Wish, owner?: User): Promise<Token> {
  const outcome = await insert(world, digest, wish, owner);
  assert(outcome.kind === 'changed');
  return outcome.result;
}

/** @returns The digests of the valid tokens, which all belong to ann. */
async function findLive({ tokens, ann }: World, digests: readonly string[]): Promise<readonly string[]> {
  const owners = await Promise.all(digests.map(async (digest) =>
    (await tokens.findWithOwner(digest as TokenDigest, toTimestamp(0)))?.user));
  owners.forEach((owner) => assert.deepEqual(owner ?? ann, ann));
  return digests.filter((_, index) => owners[index] !== undefined);
}
