import assert from 'node:assert/strict';
import { toListRequest } from '../../src/api/parameters.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { createRandom } from '../support/mutations.ts';
import { readItems, withStores } from '../support/stores.ts';

/** Without a maximum, the list could grow faster than the test reads. */
const ADDED_MAX = 40;

for (const sort of ['id', '-id', 'username', '-username']) {
  for (const contains of ['', 'o']) {
    const title = `the pages of "${contains}" by ${sort}`;
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
        const page = await users.list(toListRequest({ contains, sort, page: number, items_per_page: 3 }));
        (await readItems(page)).forEach(({ username }) => seen.add(username));
        hasNext = number * 3 < page.total;
      }
      assert.ok(added > 5, 'users were added');
      assert.deepEqual(first.filter((username) => !seen.has(username)), []);
    });
  }
}
