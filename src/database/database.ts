/**
 * The one interface to the database: embedded SQLite, or a cluster over HTTP. A cluster has no interactive
 * transactions, so writes are batches, and statements make the decisions (stores/guards.ts).
 *
 * Rules for statements: the clock and random values are parameters, so a statement means the same on every
 * node. A question takes one statement, never one statement for each row. A batch has no `SELECT`, because
 * every node would run it, and no `RETURNING`, because rqlite before 9.4.2 does not undo a batch in which
 * such a statement fails (rqlite issue 2530).
 */

/** `Roll`, in the header of each database and backup (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x526f6c6c;

/** Text has no NUL, because some drivers end a text at a NUL. Integers are at most 2^53 - 1. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Makes a statement of SQL text, which must come from this program, never from a request. */
export const raw = (text: string): Statement => ({ sql: text, parameters: [] });

/** Joins statements and values to one statement. Every value becomes a parameter, so no value becomes SQL. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Statement)[]): Statement {
  let text = texts[0] ?? '';
  const parameters: SqlValue[] = [];
  parts.forEach((part, index) => {
    if (typeof part === 'object' && part !== null) {
      text += part.sql;
      parameters.push(...part.parameters);
    } else {
      text += '?';
      parameters.push(part);
    }
    text += texts[index + 1];
  });
  return { sql: text, parameters };
}

export type Row = Readonly<Record<string, SqlValue>>;

export interface Change {
  /** The number of rows that each statement changed, without changes by triggers. */
  readonly counts: readonly number[];
  /** The row of `readBack`; absent if the first statement changed rows, and so refused the batch. */
  readonly row: Row | undefined;
}

/**
 * The writes that a read sees.
 *
 * - `linearizable`: every write that was acknowledged to any process before the read began. Decisions, such
 *   as whether a token is valid, need `linearizable`.
 * - `recent`: every write that was acknowledged to this process. Any node of a cluster may answer, so writes
 *   of other processes may be missing for a second. Lists use `recent`.
 */
export type Consistency = 'linearizable' | 'recent';

/**
 * The database did not respond in time. A batch without a response may still be written later, but only as a
 * whole and at most once.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The disk is full: no statement of the batch took effect, and reads still work. */
export class DatabaseFullError extends Error {
  override readonly name = 'DatabaseFullError';
}

/** Another process held the lock of the database until the timeout. No statement took effect. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
}

/**
 * For an outage, a method of a database throws a `Database…Error`; for a statement that the database refuses,
 * another error.
 */
export interface Database {
  /** @param consistency - `linearizable` unless given. */
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;

  /**
   * Runs statements in order, as one atomic batch. When the promise of `write` is fulfilled, the changes are
   * on disk (with `synchronous=normal`, soon after). Only after a DatabaseUnavailableError is the outcome
   * unknown.
   */
  write(statements: readonly Statement[]): Promise<void>;

  /**
   * Writes like `write`, and tells the outcome.
   *
   * @param statements - The first statement decides about the batch: the batch takes effect only if the first
   *   statement changes no rows.
   * @param readBack - Reads a row if the batch took effect; on a cluster, this read may see later changes
   *   too.
   */
  change(statements: readonly Statement[], readBack?: Statement): Promise<Change>;

  close(): Promise<void>;
}

/** Reads a column as the type that the table declares; any other type is a bug in the statement. */
export function textOf(row: Row, column: string): string {
  return typeof row[column] === 'string' ? row[column] : refuseColumn(column);
}

export function integerOf(row: Row, column: string): number {
  return typeof row[column] === 'number' ? row[column] : refuseColumn(column);
}

export const textOrNone = (row: Row, column: string) =>
  row[column] === null ? undefined : textOf(row, column);

function refuseColumn(column: string): never {
  throw new Error(`The column "${column}" has another type`);
}
