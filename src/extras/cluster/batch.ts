/**
 * Atomic batches of writes. A batch may be sent several times, but takes effect once: its transaction also
 * inserts a ticket, a random id. A second copy of the batch, from a retry or from a frozen node, has no
 * effect, because the repeated ticket violates the primary key.
 *
 * A ticket is needed only while a copy of its batch may be on the way. If the first attempt to send a batch
 * is answered, there is no second copy, and a later request removes the ticket. `PRUNE_TICKETS` removes the
 * oldest of the remaining tickets, which belong to batches that were sent again, or to processes that ended.
 */
import { raw, sql, type Statement } from '../../database/database.ts';
import type { StatementResult } from './messages.ts';

/** The most tickets that are kept, at 40 bytes each; a month with many faults leaves far fewer tickets. */
const TICKETS_KEPT_MAX = 10_000;

export const CREATE_TICKETS =
  raw('CREATE TABLE IF NOT EXISTS applied_batches (ticket TEXT PRIMARY KEY) STRICT');

export const PRUNE_TICKETS = sql`
  DELETE FROM applied_batches WHERE rowid <=
    (SELECT rowid FROM applied_batches ORDER BY rowid DESC LIMIT 1 OFFSET ${TICKETS_KEPT_MAX})`;

export interface Batch {
  readonly ticket: string;
  readonly statements: readonly Statement[];
}

type GroupOutcome =
  /** For each batch, the number of rows that each of its statements changed. */
  | { readonly kind: 'applied'; readonly counts: readonly (readonly number[])[] }
  /** The table of tickets is missing or has one of the tickets already, so the request changed nothing. */
  | { readonly kind: 'ticket-refused'; readonly reason: string }
  /** A statement was refused, so the whole transaction was undone. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Some of the statements of the group may have taken effect. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** The index of the statement that inserts the tickets, among the statements of a group of batches. */
const TICKETS_INDEX = 1;

/** @param settled - Tickets to remove, because they are no longer needed. */
export function toTicketStatements(
  batches: readonly Batch[], settled: readonly string[],
): readonly Statement[] {
  return [
    sql`DELETE FROM applied_batches WHERE ticket IN (${toRows(settled)})`,
    sql`INSERT INTO applied_batches (ticket) ${toRows(batches.map(({ ticket }) => ticket))}`,
  ];
}

/** @returns A statement that counts how many of the given tickets a node holds. */
export function toTicketCount(tickets: readonly string[]): Statement {
  return sql`SELECT count(*) AS count FROM applied_batches WHERE ticket IN (${toRows(tickets)})`;
}

const toRows = (tickets: readonly string[]) =>
  sql`SELECT value FROM json_each(${JSON.stringify(tickets)})`;

export function readGroupOutcome(
  batches: readonly Batch[], results: readonly StatementResult[],
): GroupOutcome {
  const lastIndex = TICKETS_INDEX + batches.flatMap(({ statements }) => statements).length;
  const failedIndex = results.findIndex(({ error }) => error !== undefined);
  const reason = results[failedIndex]?.error;
  if (reason !== undefined) {
    const kind = failedIndex <= TICKETS_INDEX ? 'ticket-refused'
      : failedIndex <= lastIndex ? 'refused' : 'unknown';
    return { kind, reason };
  }
  if (results.length <= lastIndex || results[TICKETS_INDEX]?.changes !== batches.length) {
    return { kind: 'unknown', reason: 'the answer lacks results or counts of changed rows' };
  }
  let index = TICKETS_INDEX;
  const counts = batches.map(({ statements }) => statements.map(() => results[index += 1]?.changes ?? 0));
  return { kind: 'applied', counts };
}
