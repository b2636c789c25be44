/**
 * A ticket is the random id of an atomic batch of writes. The batch can be sent several times, but takes
 * effect only once: its transaction inserts the ticket. A second copy of the batch, from a retry or a frozen
 * node, has no effect, because the repeated ticket violates the primary key.
 *
 * A ticket is needed while a second copy of the batch can arrive. If a node answers the first attempt to
 * send a batch, no second copy can arrive. In this case, a later request removes the ticket. After repeated
 * attempts, or when a process ends, tickets remain in the table. `PRUNE_TICKETS` removes the oldest tickets.
 */
import { raw, sql, type Statement } from '../../database/database.ts';
import type { StatementResult } from './messages.ts';

/** Even a month with many network errors leaves far fewer tickets than this maximum. */
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
  /** For each batch, `counts` lists the number of changed rows for each statement. */
  | { readonly kind: 'applied'; readonly counts: readonly (readonly number[])[] }
  /** Nothing was changed: one of the tickets is in the table already, or the table of tickets is missing. */
  | { readonly kind: 'ticket-refused'; readonly reason: string }
  /** A statement was refused, so the whole transaction was rolled back. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Some statements of the request may have taken effect. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** In each request, the statement at this index inserts the tickets. */
const TICKETS_INDEX = 1;

export function toTicketStatements(
  batches: readonly Batch[], removed: readonly string[],
): readonly Statement[] {
  return [
    sql`DELETE FROM applied_batches WHERE ticket IN (${toRows(removed)})`,
    sql`INSERT INTO applied_batches (ticket) ${toRows(batches.map(({ ticket }) => ticket))}`,
  ];
}

/** The statement counts how many of the given tickets a node holds. */
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

interface Attempt {
  /** The value that `now()` returned before the write was sent. */
  readonly sentAt: number;
  /** True if a second copy of the write can still reach the cluster, so the ticket must stay in the table. */
  readonly hasCopies: boolean;
}

/**
 * Remembers the tickets of the latest writes of this process. If a node has all these tickets, the node has
 * applied every acknowledged write of this process. Nodes apply writes in the order of the log. If write A
 * was acknowledged before write B was sent, each node with B also has A. So only B's ticket is remembered.
 */
export function createTickets() {
  let latest: readonly { ticket: string, hasCopies: boolean, acknowledgedAt: number }[] = [];
  let removable: readonly string[] = [];
  let time = 0;

  /** Advances and reads the logical clock for `sentAt` and `acknowledgedAt`. */
  const now = () => (time += 1);

  /** The next group of writes removes these tickets. */
  function release(tickets: readonly string[]): void {
    removable = [...removable, ...tickets];
  }

  function takeRemovable(): readonly string[] {
    const taken = removable;
    removable = [];
    return taken;
  }

  /** Remembers the ticket of the first batch of a write, and releases the tickets of all other batches. */
  function acknowledge(batches: readonly Batch[], { sentAt, hasCopies }: Attempt): void {
    const [ticket = '', ...others] = batches.map((batch) => batch.ticket);
    const followed = latest.filter(({ acknowledgedAt }) => acknowledgedAt < sentAt);
    const needed = latest.filter(({ acknowledgedAt }) => acknowledgedAt >= sentAt);
    latest = [...needed, { ticket, hasCopies, acknowledgedAt: now() }];
    release([...others, ...followed.filter((write) => !write.hasCopies).map((write) => write.ticket)]);
  }

  return { latest: () => latest.map(({ ticket }) => ticket), now, release, takeRemovable, acknowledge };
}
