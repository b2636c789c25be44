/** Tests lists that are read while users are added. test/api/ tests the responses to callers. */
import assert from 'node:assert/strict';
import { toNameKey } from '../../src/model/name.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { createRandom } from '../support/mutations.ts';
import { readItems, withStores } from '../support/stores.ts';

/** The maximum number of users to add. Without a maximum, the list can grow faster than the test reads. */
const ADDED_MAX = 40;

for (const [by, isDescending] of [
  ['id', false], ['id', true], ['username', false], ['username', true],
] as const) {
  for (const search of [undefined, { kind: 'contains', text: toNameKey('o') } as const]) {
    const title = `the pages of "${search?.kind ?? 'all'}" by ${isDescending ? '-' : ''}${by}`;
    withStores(`A client that follows ${title} misses no user, though users are added meanwhile`, async ({
      database, addUser,
    }) => {
      const random = createRandom(1);
      const first = Array.from({ length: 23 }, (_, index) => `${'mzaq'[index % 4]}o${index}`);
      for (const username of first) {
        await addUser(username);
      }
      let added = 0;
      const users = createUserStore({
        ...database,
        async read(statement, consistency) {
          if (added < ADDED_MAX && random.below(2) === 0) {
            await addUser(`${random.pick(['b', 'n', 'y'])}o-${added += 1}`);
          }
          return database.read(statement, consistency);
        },
      });
      const seen = new Set<string>();
      for (let number = 1, hasNext = true; hasNext; number += 1) {
        const page = await users.list({ search, page: { number, sizeMax: 3 }, sort: { by, isDescending } });
        (await readItems(page)).forEach(({ username }) => seen.add(username));
        hasNext = number * 3 < page.total.count;
      }
      assert.ok(added > 5, 'users were added');
      assert.deepEqual(first.filter((username) => !seen.has(username)), []);
    });
  }
}
