import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/database/database.ts';
import { listEvents } from '../../../src/extras/audit/audit.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { clusterUrl } from '../../support/database.ts';
import { FIRST_PAGE, insertEvents, openStores } from '../../support/stores.ts';

const START = toTimestamp(Date.UTC(2026, 0, 1));
const SINCE_START = {
  ...FIRST_PAGE, page: { number: 1, sizeMax: 10 }, action: undefined, userIds: [], since: START,
};
const skip = clusterUrl !== undefined && 'a cluster spends its own processor time';

test('a list since a date costs no more with 300,000 events than with 20,000', { skip }, async (t) => {
  const { database } = await openStores(t);
  await database.write([insertEvents(20_000, START)]);
  const before = await measureList(database);
  await database.write([insertEvents(280_000, START)]);
  const after = await measureList(database);
  // If the list read all events, 300,000 events would take 15 times as long as 20,000 events.
  assert.ok(after < 3 * before, `${before} µs, then ${after} µs`);
});

test('a list since a date has an event of a clock that was ahead, before 20,000 others', async (t) => {
  const { database } = await openStores(t);
  await database.write([insertEvents(1, toTimestamp(Date.parse(START) + 3_600_000))]);
  await database.write([insertEvents(20_000, START)]);
  const { items } = await listEvents(database, SINCE_START);
  assert.equal(JSON.parse(`[${items}]`)[0].id, 1);
});

/** @returns The shortest CPU time of ten runs in microseconds, because other processes disturb some runs. */
async function measureList(database: Database): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 10; round += 1) {
    const begun = process.cpuUsage();
    await listEvents(database, SINCE_START);
    const { user, system } = process.cpuUsage(begun);
    least = Math.min(least, user + system);
  }
  return least;
}
