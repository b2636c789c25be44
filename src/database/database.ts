/**
 * The one interface to the database: embedded SQLite, or a cluster over HTTP. Therefore writes are batches,
 * without interactive transactions. A decision that depends on data is made by a statement, and the number of
 * changed rows tells the decision (stores/guards.ts).
 *
 * Rules for statements: no clock and no randomness in SQL (both are parameters, so a statement means the same
 * on every replica); values only as parameters; one statement per question, never one per row. A batch has
 * no `SELECT`, because every node of a cluster would run it; changed rows are read back afterwards. It has
 * no `RETURNING` either: before version 9.4.2, rqlite does not undo a batch when such a statement fails
 * (rqlite issue 2530).
 */

/**
 * `Roll`, in the header of every database of this service (sqlite.org/pragma.html#pragma_application_id). It
 * stays in all copies of a database, so a file and a cluster accept a backup of each other.
 */
export const APPLICATION_ID = 0x526f6c6c;

/**
 * Text holds no NUL, which some driver versions treat as the end of the text. Integers are safe integers (at
 * most 2^53 - 1). SQLite has no booleans; 0 and 1 represent them.
 */
export type SqlValue = string | number | null;

export interface Statement {
  /** One statement of SQLite's dialect, with a `?` for each parameter. */
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** SQL text that this program wrote itself. */
export const raw = (text: string): Statement => ({ sql: text, parameters: [] });

/** Joins statements and values. Every value becomes a parameter, so no text of a client can become SQL. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Statement)[]): Statement {
  let text = texts[0] ?? '';
  const parameters: SqlValue[] = [];
  parts.forEach((part, index) => {
    if (typeof part === 'object' && part !== null) {
      text += part.sql + texts[index + 1];
      parameters.push(...part.parameters);
    } else {
      text += '?' + texts[index + 1];
      parameters.push(part);
    }
  });
  return { sql: text, parameters };
}

export type Row = Readonly<Record<string, SqlValue>>;

export interface Change {
  /** The number of rows that each statement changed, without changes by triggers. */
  readonly counts: readonly number[];
  /** The row of `readBack`; absent if the first statement changed rows: it refuses the batch. */
  readonly row: Row | undefined;
}

/**
 * The writes that a read must have seen.
 *
 * - `linearizable`: every write that was acknowledged to any process before the read began. Decisions need
 *   it: whether a token is valid, whether a name is taken, who owns a project.
 * - `recent`: every write that was acknowledged to this process before. Writes of other processes may be
 *   missing for a second. In return, any node of a cluster can answer. Lists use it.
 */
export type Consistency = 'linearizable' | 'recent';

/**
 * The database did not respond in time. The batch may or may not have been written, always as a whole, and
 * may even be written later; it is never written twice.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The disk is full. Nothing of the batch took effect, and reads still work. */
export class DatabaseFullError extends Error {
  override readonly name = 'DatabaseFullError';
}

/** Another process held the lock of the database until the timeout. Nothing took effect. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
}

/** Each method throws one of these errors for an outage, and another error if a statement is refused. */
export interface Database {
  /** Runs one statement that only reads. @param consistency - `linearizable` unless given. */
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;

  /**
   * Runs statements that return no rows, in order, as one atomic, durable batch: when the promise is
   * fulfilled, all of them are on disk, once. (`synchronous=normal` leaves them to the operating system, and
   * `:memory:` has no disk.) Only DatabaseUnavailableError leaves open whether the batch took effect.
   */
  write(statements: readonly Statement[]): Promise<void>;

  /**
   * Writes like `write`, and tells the outcome. If the outcome is lost, the error is
   * DatabaseUnavailableError, although the batch may have taken effect.
   *
   * @param statements - The first one decides: it changes no rows if the batch may take effect.
   * @param readBack - Reads a row after the change, if the first statement changed no rows. On a cluster it
   *   runs after the commit, so it may see later changes as well.
   */
  change(statements: readonly Statement[], readBack?: Statement): Promise<Change>;

  /** The database cannot be used afterwards. */
  close(): Promise<void>;
}

/** Reads a column as the type that the table declares; any other type is a bug in the statement. */
export function textOf(row: Row, column: string): string {
  return typeof row[column] === 'string' ? row[column] : refuseColumn(column, 'text');
}

export function integerOf(row: Row, column: string): number {
  return typeof row[column] === 'number' ? row[column] : refuseColumn(column, 'an integer');
}

/** Reads a column that may be NULL, as `undefined`. */
export function textOrNone(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

function refuseColumn(column: string, expected: string): never {
  throw new Error(`Expected ${expected} in column "${column}"`);
}
