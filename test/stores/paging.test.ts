import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase, withoutStaleReads } from '../support/database.ts';
import { readItems } from '../support/list.ts';

/** Enough users for three blocks of 8192 ids. */
const COUNT = 20_000;

const FILL = `
  WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${COUNT})
  INSERT INTO users (id, username, username_key, username_grams, email, password_hash, date_created)
  SELECT id, 'u' || id, 'u' || id, '', '', '', '' FROM ids`;

for (const [title, deletion] of [
  ['nobody', 'FALSE'],
  ['every third', 'id % 3 = 0'],
  ['a whole block', 'id BETWEEN 8192 AND 16383'],
  ['the first', 'id = 1'],
  ['the last', `id > ${COUNT - 50}`],
  ['all users except the last', `id < ${COUNT}`],
  ['everybody', 'TRUE'],
] as const) {
  test(`Pages are exact after the deletion of ${title}`, async (context) => {
    const database = await openTestDatabase(context);
    await createSchema(database, schema, toTimestamp(0));
    await run(database, FILL);
    await run(database, `DELETE FROM users WHERE ${deletion}`);
    const users = createUserStore(withoutStaleReads(database));
    const ids = (await database.read({ sql: 'SELECT id FROM users ORDER BY id', parameters: [] }))
      .map(({ id }) => id);
    for (const number of [1, 2, 55, 56, 81, 82, 83, 100, 133, 134, 199, 200, 201, 1_000_000]) {
      const page = await users.list({ search: { kind: 'all' }, page: { number, sizeMax: 100 } });
      const expected = ids.slice((number - 1) * 100, number * 100);
      assert.deepEqual(
        (await readItems(page)).map(({ id }: { id: number }) => id), expected, `page ${number}`,
      );
      assert.equal(page.count, expected.length);
      assert.equal(page.hasNext, ids.length > number * 100);
    }
  });
}

async function run(database: Database, sql: string): Promise<void> {
  await database.write([{ sql, parameters: [] }]);
}
