/** Searches that match more users than the service looks at one by one, in every order and on late pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toGrams } from '../../src/stores/grams.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';
import { readItems } from '../support/list.ts';

/** The number of users: more than the candidates that a search reads one by one. */
const COUNT = 21_100;

/** The users. The order of their names is unrelated to the order of their ids. */
const people = Array.from({ length: COUNT }, (_, index) => ({
  id: index + 1,
  username: `user-${(index * 7_919) % 99_991}`,
  isAdmin: index % 5 === 0,
  isDisabled: index % 3 === 0,
}));

const FILTERS = [
  { isAdmin: undefined, isDisabled: undefined },
  { isAdmin: true, isDisabled: undefined },
  { isAdmin: undefined, isDisabled: true },
  { isAdmin: false, isDisabled: false },
];

test('A search for text in most names finds the same users in every order, on every page', async (t) => {
  const database = await openTestDatabase(t);
  await createSchema(database, schema, toTimestamp(0));
  await database.write([{
    sql: `
      INSERT INTO users
        (id, username, username_key, username_grams, email, password_hash, is_admin, disabled, date_created)
      SELECT value->>0, value->>1, value->>1, value->>2, '', '', value->>3, value->>4, '' FROM json_each(?)`,
    parameters: [JSON.stringify(people.map(({ id, username, isAdmin, isDisabled }) =>
      [id, username, toGrams(username as never), Number(isAdmin), Number(isDisabled)]))],
  }]);
  const users = createUserStore(database);
  for (const text of ['user', '9', '77']) {
    for (const by of ['id', 'username'] as const) {
      for (const isDescending of [false, true]) {
        for (const filter of FILTERS) {
          const expected = people.filter(
            ({ username, isAdmin, isDisabled }) => username.includes(text) &&
              isAdmin === (filter.isAdmin ?? isAdmin) && isDisabled === (filter.isDisabled ?? isDisabled),
          );
          if (by === 'username') {
            expected.sort((one, other) => one.username < other.username ? -1 : 1);
          }
          const ordered = isDescending ? expected.toReversed() : expected;
          const lastPage = Math.ceil(ordered.length / 100);
          for (const number of new Set([1, 2, 12, lastPage, lastPage + 1])) {
            const found = await users.list({
              search: { kind: 'contains', text: text as never },
              page: { number, sizeMax: 100 },
              sort: { by, isDescending },
              filter,
            });
            const ids = (await readItems(found)).map(({ id }) => id);
            const title = JSON.stringify({ text, by, isDescending, filter, number });
            const page = ordered.slice((number - 1) * 100, number * 100);
            assert.deepEqual(ids, page.map(({ id }) => id), title);
            assert.equal(found.hasNext, number < lastPage, title);
          }
        }
      }
    }
  }
});
