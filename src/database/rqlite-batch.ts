/**
 * What is sent to a cluster for one atomic batch, so that it takes effect once although it may be sent several times.
 *
 * Each batch carries a ticket, a random id that it puts into the table `applied_batches` in the same transaction. A copy of
 * the batch that comes later, from a retry or from a node that was frozen with the request in its hands, meets its own
 * ticket, fails on the primary key, and has no effect. Whether a batch was applied is then a question that has an answer.
 *
 * A ticket is needed only for as long as a copy of its batch may be on the way. When the first attempt is answered there is
 * none, and a later batch takes the ticket out of the table again. What stays are tickets of batches that were sent again,
 * and the last ones of a process that ended; of those the newest are kept when a process starts.
 */
import type { Row, Statement } from './database.ts';
import { toRows, type StatementResult } from './rqlite-messages.ts';

/** Far more than faults leave behind in a month of bad days; 40 bytes each. */
const TICKETS_KEPT_MAX = 10_000;

/** Prepares a database for batches. Does not harm when it is sent many times. */
export const PREPARE_TICKETS: readonly Statement[] = [
  { sql: 'CREATE TABLE IF NOT EXISTS applied_batches (ticket TEXT PRIMARY KEY) STRICT', parameters: [] },
  {
    sql: `
      DELETE FROM applied_batches WHERE rowid NOT IN
        (SELECT rowid FROM applied_batches ORDER BY rowid DESC LIMIT ?)`,
    parameters: [TICKETS_KEPT_MAX],
  },
];

export interface Batch {
  readonly ticket: string;
  /** Tickets that are needed no more. */
  readonly settled: readonly string[];
  readonly statements: readonly Statement[];
}

/** What came of a batch, as far as one answer tells. */
type BatchOutcome =
  | { readonly kind: 'applied'; readonly rows: readonly (readonly Row[])[] }
  /** The ticket was refused: it is in the table already, or the table is not there. */
  | { readonly kind: 'ticket-refused'; readonly reason: string }
  /** One of the statements was refused, and none took effect. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The place of the ticket among the statements that are sent. */
const TICKET_INDEX = 1;

const SELECTION = /^\s*SELECT\b/i;

export function isSelection({ sql }: Statement): boolean {
  return SELECTION.test(sql);
}

const RETURNING_CLAUSE = /\bRETURNING\b[^]*$/i;

/** True when a statement answers with rows. `RETURNING` stands nowhere else: texts are parameters. */
export function returnsRows(statement: Statement): boolean {
  return isSelection(statement) || RETURNING_CLAUSE.test(statement.sql);
}

/** @returns The statements to send, in one transaction. */
export function toStatements({ ticket, settled, statements }: Batch): readonly Statement[] {
  return [
    {
      sql: 'DELETE FROM applied_batches WHERE ticket IN (SELECT value FROM json_each(?))',
      parameters: [JSON.stringify(settled)],
    },
    { sql: 'INSERT INTO applied_batches (ticket) VALUES (?)', parameters: [ticket] },
    ...statements.flatMap((statement) => rehearse(statement, statements.length)),
  ];
}

/**
 * Before version 9.4.2, rqlite does not roll a transaction back when a statement with `RETURNING` fails: the others of the
 * batch would take effect without it (rqlite issue 2530). Without `RETURNING` a failure does roll back. So the statement is
 * first tried without, undone, and then run, which cannot fail any more. A statement that is alone needs no such care.
 */
function rehearse(statement: Statement, batchSize: number): readonly Statement[] {
  if (batchSize === 1 || !RETURNING_CLAUSE.test(statement.sql)) {
    return [statement];
  }
  return [
    { sql: 'SAVEPOINT rehearsal', parameters: [] },
    { ...statement, sql: statement.sql.replace(RETURNING_CLAUSE, '') },
    { sql: 'ROLLBACK TO rehearsal', parameters: [] },
    { sql: 'RELEASE rehearsal', parameters: [] },
    statement,
  ];
}

/** @throws When the results are not those of the statements that `toStatements` made of the batch. */
export function readOutcome({ statements }: Batch, results: readonly StatementResult[]): BatchOutcome {
  const failedIndex = results.findIndex(({ error }) => error !== undefined);
  const reason = results[failedIndex]?.error;
  if (reason !== undefined) {
    return { kind: failedIndex === TICKET_INDEX ? 'ticket-refused' : 'refused', reason };
  }
  let index = TICKET_INDEX;
  const rows = statements.map((statement) => {
    index += rehearse(statement, statements.length).length;
    return toReturnedRows(statement, results[index]);
  });
  return { kind: 'applied', rows };
}

/**
 * A node that does not recognise a statement that returns rows answers without them, which must not be taken
 * for "no row".
 */
function toReturnedRows(statement: Statement, result: StatementResult | undefined): readonly Row[] {
  if (result === undefined || (result.columns !== undefined) !== returnsRows(statement)) {
    throw new Error(`The database cluster answered with another form than expected to: ${statement.sql}`);
  }
  return toRows(result);
}
