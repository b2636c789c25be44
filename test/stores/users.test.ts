/**
 * Tests lists that are read while users are added, and the first administrator. test/api/ tests what callers
 * see.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNameKey } from '../../src/model/name.ts';
import type { PasswordHash } from '../../src/model/user.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { withMethods } from '../support/database.ts';
import { createRandom } from '../support/mutations.ts';
import { ORIGIN } from '../support/origin.ts';
import { wordOf } from '../support/outcome.ts';
import { HASH, openStores } from '../support/stores.ts';
import { readItems } from '../support/list.ts';

/** The limit on added users, because a list that grows faster than the test reads has no end. */
const ADDED_MAX = 40;

for (const [by, isDescending] of [
  ['id', false], ['id', true], ['username', false], ['username', true],
] as const) {
  for (const search of [{ kind: 'all' }, { kind: 'contains', text: toNameKey('o') }] as const) {
    const title = `the pages of "${search.kind}" by ${isDescending ? '-' : ''}${by}`;
    test(`A client that follows ${title} misses no user, though users are added meanwhile`, async (t) => {
      const { database, addUser } = await openStores(t);
      const random = createRandom(1);
      const first = Array.from({ length: 23 }, (_, index) => `${'mzaq'[index % 4]}o${index}`);
      for (const username of first) {
        await addUser(username);
      }
      let added = 0;
      const users = createUserStore(withMethods(database, {
        async read(statement, consistency) {
          if (added < ADDED_MAX && random.below(2) === 0) {
            await addUser(`${random.pick(['b', 'n', 'y'])}o-${added += 1}`);
          }
          return database.read(statement, consistency);
        },
      }));
      const seen = new Set<string>();
      for (let number = 1, hasNext = true; hasNext; number += 1) {
        const page = await users.list({ search, page: { number, sizeMax: 3 }, sort: { by, isDescending } });
        (await readItems(page)).forEach(({ username }) => seen.add(username));
        hasNext = page.hasNext;
      }
      assert.ok(added > 5, 'users were added');
      assert.deepEqual(first.filter((username) => !seen.has(username)), []);
    });
  }
}

test('The first administrator is inserted only once, even by two concurrent calls', async (context) => {
  const { users } = await openStores(context);
  assert.equal(await users.hasAdministrator(), false);
  const inserted = await Promise.all(
    ['root', 'boss'].map((name) => users.insertFirstAdministrator(toNewUser(name), ORIGIN)),
  );
  assert.deepEqual(inserted.map(wordOf).toSorted(), ['administratorExists', 'changed']);
  const third = await users.insertFirstAdministrator(toNewUser('other'), ORIGIN);
  assert.equal(wordOf(third), 'administratorExists');
  assert.equal(await users.hasAdministrator(), true);
  assert.equal(await users.find({ name: 'other' }), undefined);
});

test('An existing user with the name of the first administrator is not promoted', async (context) => {
  const { users, addUser } = await openStores(context);
  const plain = await addUser('Root');
  const first = { ...toNewUser('root'), passwordHash: 'other' as PasswordHash };
  assert.equal(wordOf(await users.insertFirstAdministrator(first, ORIGIN)), 'usernameTaken');
  assert.deepEqual(await users.findWithPassword(toNameKey('root')), {
    user: plain, passwordHash: HASH, passwordVersion: 1,
  });
});

function toNewUser(username: string) {
  return { username, email: `${username}@example.org`, passwordHash: HASH };
}
