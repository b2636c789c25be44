/**
 * The one interface to the database: the intersection of its drivers, an embedded SQLite and a cluster that is spoken to
 * over HTTP. Therefore it has the shape of batches: there is no interactive transaction, so a decision that depends on
 * data is made inside a statement (`INSERT … SELECT … WHERE`, `ON CONFLICT DO NOTHING`) and read off the rows it returns.
 *
 * Rules for statements: no clock and no randomness in SQL (both are parameters, so a statement means the same on every
 * replica); values only as parameters; one statement per question, never one per row.
 */

/** Integers are safe integers (at most 2^53 - 1). There is no `boolean` in SQLite: 0 and 1 stand for it. */
export type SqlValue = string | number | null;

export interface Statement {
  /** One statement of SQLite's dialect, with a `?` for each parameter. */
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A row by column names. */
export type Row = Readonly<Record<string, SqlValue>>;

export interface Database {
  /**
   * Runs one statement that only reads.
   *
   * @returns Its rows, in the order of the statement.
   * @throws When the database cannot be reached or refuses the statement.
   */
  read(statement: Statement): Promise<readonly Row[]>;

  /**
   * Runs statements in order as one atomic, durable batch: when the promise is fulfilled, all of them are on disk; when it
   * is rejected, none took effect.
   *
   * @returns For each statement the rows of its `RETURNING` clause, or no rows.
   * @throws When the database cannot be reached or refuses one of the statements.
   */
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;

  /** Ends the connection; nothing may be asked afterwards. */
  close(): Promise<void>;
}
