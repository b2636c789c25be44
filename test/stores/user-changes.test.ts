import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import type { TokenDigest } from '../../src/model/token.ts';
import { NO_PASSWORD, type PasswordHash, type User } from '../../src/model/user.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { HASH, NOW, openStores, type Stores } from '../support/stores.ts';

type Changes = Stores['changes'];

test('A search finds a user by the new name, in any form of Unicode, and not by the old one', async (t) => {
  const { users, changes, addUser } = await openStores(t);
  const ann = await addUser('ann');
  await changes.update(ann, { username: 'Zoë' }, ORIGIN);
  assert.deepEqual(await users.find({ name: 'ZOE\u0308' }), { ...ann, username: 'Zoë' });
  assert.equal((await users.findRepresentation(ann))?.version, 2);
  for (const [text, expected] of [['OË', 1], ['ann', 0]] as const) {
    const search = { kind: 'contains', text: toNameKey(text) } as const;
    assert.equal((await users.list({ search, page: { number: 1, sizeMax: 10 } })).count, expected);
  }
});

for (const [title, change] of Object.entries({
  demoted: (changes: Changes, user: User) => changes.update(user, { isAdmin: false }, ORIGIN),
  disabled: (changes: Changes, user: User) => changes.update(user, { isDisabled: true }, ORIGIN),
  deleted: (changes: Changes, user: User) => changes.delete(user, { kind: 'delete' }, ORIGIN),
})) {
  test(`Administrators without a password do not count if one is ${title}`, async (context) => {
    const { changes, addUser } = await openStores(context);
    const ann = await addUser('ann', { isAdmin: true });
    const bob = await addUser('bob', { isAdmin: true, passwordHash: NO_PASSWORD });
    assert.equal(wordOf(await change(changes, ann)), 'lastAdministrator');
    await changes.setPassword(bob, { passwordHash: HASH }, ORIGIN);
    assert.equal(wordOf(await change(changes, ann)), 'changed');
  });
}

test('A checked password is replaced once', async (context) => {
  const { users, changes, addUser } = await openStores(context);
  const ann = await addUser('ann');
  const set = (hash: string) =>
    changes.setPassword(ann, { passwordHash: hash as PasswordHash, checkedVersion: 1 }, ORIGIN);
  const outcomes = (await Promise.all([set('new'), set('newer')])).map(wordOf);
  // either of the two concurrent changes may come first
  assert.deepEqual(outcomes.toSorted(), ['changed', 'wrongPassword']);
  const passwordHash = outcomes[0] === 'changed' ? 'new' : 'newer';
  const account = await users.findWithPassword(toNameKey('ann'));
  assert.deepEqual(account, { user: ann, passwordHash, passwordVersion: 2 });
  assert.equal((await users.findRepresentation(ann))?.version, 2);
});

test('A password change that fails revokes nothing', async (context) => {
  const { changes, tokens, addUser, addToken } = await openStores(context);
  const ann = await addUser('ann');
  await addToken('a1', ann);
  for (const expected of [9, 'unmet'] as const) {
    const outcome = await changes.setPassword(ann, { passwordHash: HASH }, ORIGIN, expected);
    assert.equal(wordOf(outcome), 'preconditionFailed');
  }
  assert.notEqual(await tokens.findWithOwner('a1' as TokenDigest, NOW), undefined);
});
