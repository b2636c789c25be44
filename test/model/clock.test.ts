import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../src/model/clock.ts';

test('Timestamps of the years 0 to 9999 have equal length, so they sort as text by time', () => {
  const days = ['0000-01-01', '1969-12-31', '1970-01-01', '2026-01-01', '9999-12-31'];
  const timestamps = days.map((day) => toTimestamp(Date.parse(`${day}T23:59:59.999Z`)));
  assert.deepEqual(timestamps.map(({ length }) => length), [24, 24, 24, 24, 24]);
  assert.deepEqual(timestamps.toSorted(), timestamps);
});

test('Whole seconds have milliseconds too', () => {
  assert.equal(toTimestamp(0), '1970-01-01T00:00:00.000Z');
});
