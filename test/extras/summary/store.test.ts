/** Special cases of the overview: deleted users, many events, many tokens. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../../src/database/create-schema.ts';
import type { Database } from '../../../src/database/database.ts';
import { createSummaryStore } from '../../../src/extras/summary/store.ts';
import { toTimestamp, type Timestamp } from '../../../src/model/clock.ts';
import { createAuditStore } from '../../../src/stores/audit.ts';
import { schema } from '../../../src/stores/schema.ts';
import { openTestDatabase, withoutStaleReads } from '../../support/database.ts';

const day = (number: number) => toTimestamp(Date.UTC(2026, 0, number));
const DAYS = Array.from({ length: 14 }, (_, index) => day(index + 1));
const TIMES = { now: day(14), soon: day(21), days: DAYS };

async function open(t: TestContext) {
  const database = withoutStaleReads(await openTestDatabase(t));
  await createSchema(database, schema, toTimestamp(0));
  return { database, summaries: createSummaryStore(database) };
}

/** @param countAt - The number of users registered at each moment, in order of their ids. */
async function register(database: Database, countAt: readonly (readonly [Timestamp, number])[]) {
  for (const [moment, count] of countAt) {
    await database.write([{
      sql: `
        WITH RECURSIVE ids (id) AS (
          SELECT coalesce(max(id), 0) + 1 FROM users UNION ALL SELECT id + 1 FROM ids LIMIT ${count}
        )
        INSERT INTO users (username, username_key, email, password_hash, date_created)
        SELECT 'u' || id, 'u' || id, '', '', ? FROM ids`,
      parameters: [moment],
    }]);
  }
}

async function readDays({ summaries }: Awaited<ReturnType<typeof open>>): Promise<readonly number[]> {
  return (await summaries.ofService(TIMES)).registrations.map(({ count }) => count);
}

const beforeMidnight = (number: number) => toTimestamp(Date.UTC(2026, 0, number) - 1);

test('Registrations are counted by day, exactly to the millisecond', async (t) => {
  const world = await open(t);
  await register(world.database, [
    [beforeMidnight(1), 9_000], [day(1), 2], [day(3), 9_000], [beforeMidnight(4), 1], [day(14), 5],
  ]);
  assert.deepEqual(await readDays(world), [2, 0, 9_001, ...Array(10).fill(0), 5]);
});

test('Deleted users, at any position of their ids, do not count as registrations', async (t) => {
  const world = await open(t);
  await register(world.database, [[beforeMidnight(1), 3], [day(1), 10], [day(2), 10], [day(14), 2]]);
  await world.database.write([{
    sql: 'DELETE FROM users WHERE id IN (1, 3, 4, 13, 14, 23, 25)', parameters: [],
  }]);
  assert.deepEqual(await readDays(world), [8, 8, ...Array(11).fill(0), 1]);
});

for (const [title, countAt, expected] of [
  ['without users', [], Array(14).fill(0)],
  ['with only older users', [[beforeMidnight(1), 4]], Array(14).fill(0)],
  ['with only users of today', [[day(14), 4]], [...Array(13).fill(0), 4]],
] as const) {
  test(`A service ${title} reports registrations for each day`, async (t) => {
    const world = await open(t);
    await register(world.database, countAt);
    assert.deepEqual(await readDays(world), expected);
  });
}

test('With over a thousand records of failed sign-ins today, the number is a lower bound', async (t) => {
  const { database, summaries } = await open(t);
  const audit = createAuditStore(database);
  const group = { user: undefined, network: '192.0.2.7', count: 2 };
  await audit.insertFailures(Array(1_500).fill(group), day(13));
  await audit.insertFailures(Array(1_000).fill(group), day(14));
  const read = async () => (await summaries.ofService(TIMES)).failed_sign_ins;
  assert.deepEqual(await read(), { count: 2_000, relation: 'exact' });
  await audit.insertFailures([group], day(14));
  assert.deepEqual(await read(), { count: 2_002, relation: 'at_least' });
});

test('With over ten thousand tokens, the number is a lower bound', async (t) => {
  const { database, summaries } = await open(t);
  await register(database, [[day(1), 1]]);
  const insert = (from: number, to: number) => database.write([{
    sql: `
      WITH RECURSIVE ids (id) AS (SELECT ${from} UNION ALL SELECT id + 1 FROM ids WHERE id < ${to})
      INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at)
      SELECT id, 1, '', 'abcd', 'full', '', ? FROM ids`,
    parameters: [day(15)],
  }]);
  await insert(1, 10_000);
  const read = async () => (await summaries.ofService(TIMES)).tokens;
  assert.deepEqual(await read(), { count: 10_000, relation: 'exact' });
  await insert(10_001, 10_500);
  assert.deepEqual(await read(), { count: 10_000, relation: 'at_least' });
});
