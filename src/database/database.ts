/**
 * The one interface to the database: embedded SQLite, or a cluster over HTTP. A cluster has no interactive
 * transactions, so writes are batches, and statements make the decisions (stores/guards.ts).
 *
 * Rules for statements: the clock and random values are parameters, so a statement means the same on every
 * node. One statement per question, never one per row. A batch has no `SELECT`, because every node would run
 * it, and no `RETURNING`, because rqlite before 9.4.2 does not undo a batch in which such a statement fails
 * (rqlite issue 2530).
 */

/** `Roll`, in the header of each database and backup (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x526f6c6c;

/** Text has no NUL, because some drivers end the text there. Integers are at most 2^53 - 1. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** SQL text that this program wrote itself. */
export const raw = (text: string): Statement => ({ sql: text, parameters: [] });

/** Joins statements and values to one statement. Every value becomes a parameter, so no value becomes SQL. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Statement)[]): Statement {
  let text = texts[0] ?? '';
  const parameters: SqlValue[] = [];
  for (const [index, part] of parts.entries()) {
    const statement = typeof part === 'object' && part !== null ? part : { sql: '?', parameters: [part] };
    text += statement.sql + texts[index + 1];
    parameters.push(...statement.parameters);
  }
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
 * - `linearizable`: every write that was acknowledged to any process before the read began. Decisions need
 *   this level, such as whether a token is valid.
 * - `recent`: every write that was acknowledged to this process. Writes of other processes may be missing for
 *   a second, so any node of a cluster can answer. Lists use this level.
 */
export type Consistency = 'linearizable' | 'recent';

/** No response in time. The batch may still be written later, but only as a whole and at most once. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The disk is full. Nothing took effect, and reads still work. */
export class DatabaseFullError extends Error {
  override readonly name = 'DatabaseFullError';
}

/** Another process held the lock of the database until the timeout. Nothing took effect. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
}

/** Each method throws one of the errors above for an outage, and another error for a refused statement. */
export interface Database {
  /** @param consistency - `linearizable` unless given. */
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;

  /**
   * Runs statements in order, as one atomic batch. When the promise is fulfilled, the changes are on disk
   * (with `synchronous=normal`, soon after). Only after a DatabaseUnavailableError is the outcome unknown.
   */
  write(statements: readonly Statement[]): Promise<void>;

  /**
   * Writes like `write`, and tells the outcome.
   *
   * @param statements - The first statement decides: it changes no rows if the batch may take effect.
   * @param readBack - Reads a row if the batch took effect. On a cluster, it may see later changes too.
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
