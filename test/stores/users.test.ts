import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toListRequest } from '../../src/api/parameters.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { clusterUrl } from '../support/database.ts';
import { createRandom } from '../support/mutations.ts';
import { openStores, readItems, withStores } from '../support/stores.ts';

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

const skip = clusterUrl !== undefined && 'a cluster answers in later iterations';

// All reads in one callback of the event loop share a snapshot. A second iteration doubles the CPU time of
// a short list.
test('Page 3 of a whole list takes no more iterations of the event loop than page 1', { skip }, async (t) => {
  const { users, addUser } = await openStores(t);
  for (const username of ['ada', 'bea', 'cleo']) {
    await addUser(username);
  }
  const countTurns = async (page: number) => {
    let [turns, isListed] = [0, false];
    const list = users.list(toListRequest({ page, items_per_page: 1 })).finally(() => (isListed = true));
    for (; !isListed; turns += 1) {
      await nextTurn();
    }
    return [turns, (await list).count];
  };
  assert.deepEqual(await countTurns(3), await countTurns(1));
});
