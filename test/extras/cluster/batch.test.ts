/** Tests the function that finds the outcomes of several batches in one response of a node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGroupOutcome } from '../../../src/extras/cluster/batch.ts';
import { each } from '../../support/each.ts';
import { sql } from '../../support/sql.ts';

const BATCHES = [
  { ticket: 'a', statements: [sql('UPDATE one'), sql('UPDATE two')] },
  { ticket: 'b', statements: [sql('UPDATE three')] },
];

/**
 * Each number counts the rows that one statement changed. The first two statements change only the driver's
 * own table.
 */
function toResults(...changes: readonly number[]) {
  return changes.map((count) => ({ columns: [], values: [], changes: count, error: undefined }));
}

test('Each batch gets the numbers of rows that its own statements changed', () => {
  const outcome = readGroupOutcome(BATCHES, toResults(5, 2, 1, 0, 7));
  assert.deepEqual(outcome, { kind: 'applied', counts: [[1, 0], [7]] });
});

each('If an answer {0}, the outcome is unknown', [
  ['lacks the result of the last statement', toResults(5, 2, 1, 0)],
  ['is empty', []],
  ['does not count changed rows, not even those of the tickets', toResults(0, 0, 0, 0, 0)],
], ([, results]) => {
  assert.equal(readGroupOutcome(BATCHES, results).kind, 'unknown');
});

each('An error of statement {0} means: {1}', [
  [0, 'ticket-refused'], [1, 'ticket-refused'], [4, 'refused'], [5, 'unknown'],
], ([index, kind]) => {
  const results = toResults(5, 2, 1, 0, 7, 0)
    .map((result, place) => (place === index ? { ...result, error: 'no' } : result));
  assert.deepEqual(readGroupOutcome(BATCHES, results), { kind, reason: 'no' });
});
