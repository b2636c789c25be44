/** Tests the removal of audit events. programs/housekeeping.test.ts tests the time of the removal. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toTimestamp } from '../../src/model/clock.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import { sql } from '../support/sql.ts';
import { openStores, ORIGIN } from '../support/stores.ts';

const day = (number: number) => toTimestamp(Date.UTC(2026, 0, number));

/** Creates a trail of ten events on ten days. The event of day 10 is stored before the event of day 9. */
async function start(t: TestContext) {
  const { database } = await openStores(t);
  const audit = createAuditStore(database);
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 10, 9]) {
    await audit.insertFailures([{ user: undefined, network: '', count: number }], day(number));
  }
  const read = async (text: string) => (await database.read(sql(text))).map((row) => Object.values(row)[0]);
  return {
    database,
    audit,
    remove: (before: number) => audit.removeBefore(day(before), 100, { ...ORIGIN, at: day(before) }),
    details: () => read('SELECT details FROM audit_events ORDER BY id'),
    permissions: () => read('SELECT before FROM audit_removal'),
  };
}

test('Concurrent removals record each event before a date once, in whatever order events came', async (t) => {
  const { remove, details } = await start(t);
  await Promise.all(Array.from({ length: 8 }, () => remove(10)));
  const [kept, ...records] = await details();
  assert.equal(kept, 'count=10, username=others');
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
  const { database, audit, remove } = await start(t);
  await remove(11);
  await remove(12);
  await audit.insertFailures([{ user: undefined, network: '', count: 1 }], day(11));
  assert.equal((await database.read(sql('SELECT id FROM audit_events')))[0]?.['id'], 12);
});
