import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/database/database.ts';
import { findDateTimeFault, listEvents } from '../../../src/extras/audit/audit.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { clusterUrl } from '../../support/database.ts';
import { each } from '../../support/each.ts';
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
  // If a list had to read all events, it would take 15 times as long with 300,000 events as with 20,000.
  assert.ok(after < 3 * before, `${before} µs, then ${after} µs`);
});

test('a list since a date has an event of a clock that was ahead, before 20,000 others', async (t) => {
  const { database } = await openStores(t);
  await database.write([insertEvents(1, toTimestamp(Date.parse(START) + 3_600_000))]);
  await database.write([insertEvents(20_000, START)]);
  const { items } = await listEvents(database, SINCE_START);
  assert.equal(JSON.parse(`[${items}]`)[0].id, 1);
});

each('The date and time "{0}" is accepted', [
  '2026-01-31T23:59:59Z', '2026-01-31t23:59:59z', '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.000000001+23:59', '2024-02-29T12:00:00-00:00', '2000-02-29T12:00:00Z',
], (text) => assert.equal(findDateTimeFault(text), undefined));

each('The date and time "{0}" is refused', [
  '', '2026-01-31', '2026-01-31 23:59:59Z', '2026-01-31T23:59:59', '2026-01-31T23:59Z',
  '2026-01-31T23:59:59.Z', '2026-01-31T23:59:59+01', '2026-01-31T23:59:59+0100', '2026-1-31T23:59:59Z',
  '+02026-01-31T23:59:59Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z',
  '2026-01-32T00:00:00Z', '2026-04-31T00:00:00Z', '2025-02-29T00:00:00Z', '1900-02-29T00:00:00Z',
  '2026-01-31T24:00:00Z', '2026-01-31T23:60:00Z', '2026-01-31T23:59:61Z', '2026-01-31T23:59:59+24:00',
  '2026-01-31T23:59:59+00:60', '2016-12-31T23:59:60Z', ' 2026-01-31T23:59:59Z', '2026-01-31T23:59:59Z\n',
  '2026-01-3١T23:59:59Z',
], (text) => {
  assert.equal(findDateTimeFault(text)?.message, 'must be a date and time like 2026-01-31T23:59:59Z');
});

test('a date and time with a million digits is checked in linear time', () => {
  const before = process.cpuUsage();
  findDateTimeFault(`2026-01-31T23:59:60.${'0'.repeat(1_000_000)}z `);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

/**
 * Lists the events ten times, because other processes disturb some runs.
 * @returns The shortest CPU time, in microseconds.
 */
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
