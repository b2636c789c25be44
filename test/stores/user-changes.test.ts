import assert from 'node:assert/strict';
import { toNameKey } from '../../src/model/name.ts';
import type { TokenDigest } from '../../src/model/token.ts';
import { NO_PASSWORD, type PasswordHash } from '../../src/model/user.ts';
import { HASH, NOW, ORIGIN, withStores, wordOf, type World } from '../support/stores.ts';

withStores('A search finds a user by the new name, in any form of Unicode, not by the old one', async ({
  users, changes, ann,
}) => {
  await changes.update(ann, { username: 'Zoë' }, ORIGIN);
  assert.deepEqual(await users.find({ name: 'ZOE\u0308' }), { ...ann, username: 'Zoë' });
  assert.equal((await users.findRepresentation(ann))?.version, 2);
  for (const [text, expected] of [['OË', 1], ['ann', 0]] as const) {
    const search = { kind: 'contains', text: toNameKey(text) } as const;
    assert.equal((await users.list({ search, page: { number: 1, sizeMax: 10 } })).count, expected);
  }
});

for (const [title, change] of Object.entries({
  demoted: ({ changes }: World) => changes.update({ name: 'root' }, { isAdmin: false }, ORIGIN),
  disabled: ({ changes }: World) => changes.update({ name: 'root' }, { isDisabled: true }, ORIGIN),
  deleted: ({ changes }: World) => changes.delete({ name: 'root' }, { kind: 'delete' }, ORIGIN),
})) {
  withStores(`Administrators without a password do not count if one is ${title}`, async (world) => {
    await world.addUser('root', { isAdmin: true });
    const rita = await world.addUser('rita', { isAdmin: true, passwordHash: NO_PASSWORD });
    assert.equal(wordOf(await change(world)), 'lastAdministrator');
    await world.changes.setPassword(rita, { passwordHash: HASH }, ORIGIN);
    assert.equal(wordOf(await change(world)), 'changed');
  });
}

withStores('A checked password is replaced once', async ({ users, changes, ann }) => {
  const set = (hash: string) =>
    changes.setPassword(ann, { passwordHash: hash as PasswordHash, checkedVersion: 1 }, ORIGIN);
  const outcomes = (await Promise.all([set('new'), set('newer')])).map(wordOf);
  assert.deepEqual(outcomes.toSorted(), ['changed', 'wrongPassword']); // either change may come first
  const passwordHash = outcomes[0] === 'changed' ? 'new' : 'newer';
  const account = await users.findWithPassword(toNameKey('ann'));
  assert.deepEqual(account, { user: ann, passwordHash, passwordVersion: 2 });
  assert.equal((await users.findRepresentation(ann))?.version, 2);
});

withStores('A password change that fails revokes nothing', async ({ changes, tokens, ann, addToken }) => {
  await addToken('a1', ann);
  for (const expected of [9, 'unmet'] as const) {
    const outcome = await changes.setPassword(ann, { passwordHash: HASH }, ORIGIN, expected);
    assert.equal(wordOf(outcome), 'preconditionFailed');
  }
  assert.notEqual(await tokens.findWithOwner('a1' as TokenDigest, NOW), undefined);
});
