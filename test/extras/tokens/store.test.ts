/** The records of valid tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema } from '../../../src/database/create-schema.ts';
import { createTokenReader } from '../../../src/extras/tokens/store.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import type { TokenDigest } from '../../../src/model/token.ts';
import { NO_PASSWORD } from '../../../src/model/user.ts';
import { BY_ID } from '../../../src/model/page.ts';
import { schema } from '../../../src/stores/schema.ts';
import { createTokenStore } from '../../../src/stores/tokens.ts';
import { createUserStore } from '../../../src/stores/users.ts';
import { openTestDatabase } from '../../support/database.ts';
import { readItems } from '../../support/list.ts';
import { ORIGIN } from '../../support/origin.ts';
import { QUOTAS } from '../../support/quotas.ts';

const START = toTimestamp(0);
const PAGE = { number: 1, sizeMax: 10 };

for (const [atMs, isValid] of [[0, true], [9_999, true], [10_000, false], [10_001, false]] as const) {
  test(`A token for 10000 ms is ${isValid ? 'found and listed' : 'absent'} at ${atMs} ms`, async (t) => {
    const database = await openTestDatabase(t);
    await createSchema(database, schema);
    const added = await createUserStore(database).insert(
      { username: 'ann', email: '', passwordHash: NO_PASSWORD, isAdmin: false, dateCreated: START }, ORIGIN,
    );
    assert(added.kind === 'changed');
    const { user: owner } = added.result;
    const issued = await createTokenStore(database, QUOTAS).insert({
      digest: 'a' as TokenDigest, lastFour: 'abcd', owner, name: '', scope: 'full', dateCreated: START,
      expiresAt: toTimestamp(10_000),
    }, { ...ORIGIN, at: START });
    assert(issued.kind === 'changed');
    const token = issued.result;
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
