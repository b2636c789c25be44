/** The records of valid tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenReader } from '../../../src/extras/tokens/store.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { BY_ID } from '../../../src/model/page.ts';
import { readItems } from '../../support/list.ts';
import { openStores } from '../../support/stores.ts';

const PAGE = { number: 1, sizeMax: 10 };

for (const [atMs, isValid] of [[0, true], [9_999, true], [10_000, false], [10_001, false]] as const) {
  test(`A token for 10000 ms is ${isValid ? 'found and listed' : 'absent'} at ${atMs} ms`, async (t) => {
    const { database, addUser, addToken } = await openStores(t);
    const owner = await addUser('ann');
    const token = await addToken('a', owner, 10_000);
    const reader = createTokenReader(database);
    const now = toTimestamp(atMs);
    assert.deepEqual(await reader.find(token.id, now), isValid ? token : undefined);
    const listed = await reader.list({
      userId: owner.id, lastFour: undefined, now, isLongLived: false, sort: BY_ID,
      page: PAGE,
    });
    assert.deepEqual((await readItems(listed)).map(({ id }) => id), isValid ? [token.id] : []);
  });
}
