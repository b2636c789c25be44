import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../src/model/clock.ts';

test('Timestamps have milliseconds: from year 0 to 9999 they have equal length, and sort as text', () => {
  const timestamps = ['0000-01-01', '1969-12-31', '1970-01-01', '2026-01-01', '9999-12-31'].flatMap((day) =>
    [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]);
  assert.deepEqual(timestamps.map((timestamp) => toTimestamp(Date.parse(timestamp))), timestamps);
  assert.deepEqual(timestamps.toSorted(), timestamps);
});
