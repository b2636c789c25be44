import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { TokenDigest } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';

/** Issuing a token removes at most this many expired ones. */
const EXPIRED_TOKENS_REMOVED_MAX = 10;

for (const [atMs, isValid] of [[0, true], [9_999, true], [10_000, false], [10_001, false]] as const) {
  test(`A token that expires at 10000 ms is ${isValid ? 'valid' : 'expired'} at ${atMs} ms`, async (context) => {
    const { ann, issue, findOwner } = await openStores(context);
    await issue('a', ann, { expiresAtMs: 10_000 });
    assert.deepEqual(await findOwner('a', atMs), isValid ? ann : undefined);
  });
}

test('A token that was never issued has no owner', async (context) => {
  const { ann, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  for (const digest of ['b', 'A', '', 'a%']) {
    assert.equal(await findOwner(digest), undefined);
  }
});

test('A user has as many valid tokens as were issued, and revoking one leaves the others', async (context) => {
  const { tokens, ann, issue, findOwner } = await openStores(context);
  await issue('a1', ann);
  await issue('a2', ann);
  await tokens.revoke('a1' as TokenDigest);
  assert.deepEqual([await findOwner('a1'), await findOwner('a2')], [undefined, ann]);
});

test('Revoking all tokens of a user leaves those of others', async (context) => {
  const { tokens, ann, bob, issue, findOwner } = await openStores(context);
  await issue('a1', ann);
  await issue('a2', ann);
  await issue('b1', bob);
  await tokens.revokeAllOf(ann.id);
  assert.deepEqual([await findOwner('a1'), await findOwner('a2'), await findOwner('b1')], [undefined, undefined, bob]);
});

test('Revoking what is not there is no error', async (context) => {
  const { tokens, ann } = await openStores(context);
  await tokens.revoke('a' as TokenDigest);
  await tokens.revokeAllOf(ann.id);
});

test('A token names its owner as the owner is now', async (context) => {
  const { users, ann, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  await users.promote(ann.id);
  assert.deepEqual(await findOwner('a'), { ...ann, isAdmin: true });
});

test('The tokens of a user who is deleted are gone', async (context) => {
  const { database, ann, issue, findOwner, digests } = await openStores(context);
  await issue('a', ann);
  await database.write([{ sql: 'DELETE FROM users WHERE id = ?', parameters: [ann.id] }]);
  assert.equal(await findOwner('a'), undefined);
  assert.deepEqual(await digests(), []);
});

test('Issuing a token removes those that have expired by then, of all users, and no others', async (context) => {
  const { ann, bob, issue, digests } = await openStores(context);
  await issue('expired', ann, { expiresAtMs: 999 });
  await issue('expiring', bob, { expiresAtMs: 1000 });
  await issue('living', bob, { expiresAtMs: 1001 });
  await issue('new', ann, { atMs: 1000, expiresAtMs: 2000 });
  assert.deepEqual(await digests(), ['living', 'new']);
});

test('Issuing a token removes a bounded number of expired ones, the longest expired first', async (context) => {
  const { ann, issue, digests } = await openStores(context);
  for (let number = 0; number < EXPIRED_TOKENS_REMOVED_MAX + 2; number += 1) {
    await issue(`t${String(number).padStart(2, '0')}`, ann, { expiresAtMs: 500 - number });
  }
  await issue('u1', ann, { atMs: 1000, expiresAtMs: 2000 });
  assert.deepEqual(await digests(), ['t00', 't01', 'u1']);
  await issue('u2', ann, { atMs: 1000, expiresAtMs: 2000 });
  assert.deepEqual(await digests(), ['u1', 'u2']);
});

test('The same digest twice is refused, and stays with its first owner', async (context) => {
  const { ann, bob, issue, findOwner } = await openStores(context);
  await issue('a', ann);
  await assert.rejects(issue('a', bob), /UNIQUE/);
  assert.deepEqual(await findOwner('a'), ann);
});

async function openStores(context: TestContext) {
  const database = await openTestDatabase(context);
  await migrate(database, migrations, toTimestamp(0));
  const [users, tokens] = [createUserStore(database), createTokenStore(database)];
  return {
    database, users, tokens,
    ann: await addUser('ann'),
    bob: await addUser('bob'),
    issue: (digest: string, { id }: User, { atMs = 0, expiresAtMs = 1_000_000 } = {}) => tokens.insert({
      digest: digest as TokenDigest,
      userId: id,
      dateCreated: toTimestamp(atMs),
      expiresAt: toTimestamp(expiresAtMs),
    }),
    findOwner: (digest: string, atMs = 0) => tokens.findOwner(digest as TokenDigest, toTimestamp(atMs)),
    async digests(): Promise<readonly unknown[]> {
      const rows = await database.read({ sql: 'SELECT digest FROM tokens ORDER BY digest', parameters: [] });
      return rows.map((row) => row['digest']);
    },
  };

  async function addUser(username: string): Promise<User> {
    const passwordHash = 'hash' as PasswordHash;
    const outcome = await users.insert({ username, email: '', passwordHash, isAdmin: false, dateCreated: toTimestamp(0) });
    assert(outcome.kind === 'inserted');
    return outcome.user;
  }
}
