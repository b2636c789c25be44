import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTickets, readGroupOutcome } from '../../../src/extras/cluster/tickets.ts';
import { each } from '../../support/each.ts';
import { sql } from '../../support/sql.ts';

const BATCHES = [
  { ticket: 'a', statements: [sql('UPDATE one'), sql('UPDATE two')] },
  { ticket: 'b', statements: [sql('UPDATE three')] },
];

/** Each number counts the rows that one statement changed. The first two statements change only tickets. */
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

/** Acknowledges one write, which has a batch for each ticket. By default, `sentAt` is the current time. */
function acknowledge(
  tickets: ReturnType<typeof createTickets>, names: readonly string[],
  { sentAt = tickets.now(), hasCopies = false } = {},
): void {
  tickets.acknowledge(names.map((ticket) => ({ ticket, statements: [] })), { sentAt, hasCopies });
}

test('After sequential writes only the last ticket is needed, and earlier tickets are released', () => {
  const tickets = createTickets();
  acknowledge(tickets, ['a']);
  assert.deepEqual(tickets.takeRemovable(), []);
  acknowledge(tickets, ['b', 'c']);
  assert.deepEqual(tickets.takeRemovable(), ['c', 'a']);
  assert.deepEqual([tickets.latest(), tickets.takeRemovable()], [['b'], []]);
});

test('After concurrent writes both tickets are needed, in either order of acknowledgement', () => {
  const tickets = createTickets();
  const [first, second] = [tickets.now(), tickets.now()];
  acknowledge(tickets, ['b'], { sentAt: second });
  acknowledge(tickets, ['a'], { sentAt: first });
  assert.deepEqual(tickets.latest(), ['b', 'a']);
  acknowledge(tickets, ['c']);
  assert.deepEqual(tickets.takeRemovable(), ['b', 'a']);
});

test('A write sent before another was acknowledged does not count as later', () => {
  const tickets = createTickets();
  const slow = tickets.now();
  acknowledge(tickets, ['a']);
  acknowledge(tickets, ['b']);
  acknowledge(tickets, ['slow'], { sentAt: slow });
  assert.deepEqual(tickets.latest(), ['b', 'slow']);
});

test('The ticket of a write is never released while a copy may be in flight', () => {
  const tickets = createTickets();
  acknowledge(tickets, ['a'], { hasCopies: true });
  acknowledge(tickets, ['b']);
  assert.deepEqual(tickets.takeRemovable(), []);
});
