/** programs/housekeeping.test.ts tests the time after which an audit event is removed. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createFailureReport } from '../../../src/extras/audit/failure-report.ts';
import { createRetention } from '../../../src/extras/audit/retention.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { readColumn, sql } from '../../support/sql.ts';
import { openStores, ORIGIN } from '../../support/stores.ts';

const DAY_SECONDS = 86_400;

const day = (number: number) => toTimestamp(Date.UTC(2026, 0, number));

/** The event of day 10 is stored before the event of day 9. */
async function start(t: TestContext) {
  const { database } = await openStores(t);
  const { onSignInFailure, recordFailures } = createFailureReport(database);
  const record = async (number: number) => {
    onSignInFailure(undefined, `192.0.2.${number}`);
    await recordFailures({ ...ORIGIN, at: day(number) });
  };
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 10, 9]) {
    await record(number);
  }
  const { removeOldEvents } = createRetention(database, DAY_SECONDS);
  return {
    database,
    record,
    /** Removes all events older than `day(before)`. Retention is one day, so `at` is one day later. */
    remove: (before: number) => removeOldEvents(100, { ...ORIGIN, at: day(before + 1) }),
    details: () => readColumn(database, "SELECT concat(details, ' ', address) FROM audit_events ORDER BY id"),
    permissions: () => readColumn(database, 'SELECT before FROM audit_removal'),
  };
}

test('Concurrent removals record each event before a date once, in whatever order events came', async (t) => {
  const { remove, details } = await start(t);
  await Promise.all(Array.from({ length: 8 }, () => remove(10)));
  const [kept, ...records] = await details();
  assert.equal(kept, 'count=1, username=unknown 192.0.2.10');
  const counts = records.map((text) => Number(/^count=(\d+) before/.exec(String(text))?.[1]));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 9);
});

test('After a removal, and after a failed one, the trail still refuses every deletion', async (t) => {
  const { database, remove, details, permissions } = await start(t);
  await remove(5);
  const before = await details();
  for (const batch of [
    [sql('DELETE FROM audit_events')],
    [sql('DELETE FROM audit_events WHERE id = (SELECT min(id) FROM audit_events)')],
    [
      sql('INSERT INTO audit_removal (before) VALUES (?)', day(6)),
      sql('DELETE FROM audit_events'),
      sql('DELETE FROM audit_removal'),
    ],
  ]) {
    await assert.rejects(database.write(batch), /Audit events cannot be deleted/);
    assert.deepEqual([await details(), await permissions()], [before, []]);
  }
});

test('The ids of removed events are not reused', async (t) => {
  const { database, record, remove } = await start(t);
  await remove(11);
  await remove(13); // the first removal wrote an event on day 12
  await record(14);
  assert.equal((await readColumn(database, 'SELECT id FROM audit_events'))[0], 12);
});
