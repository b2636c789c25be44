/**
 * The one interface to the database: the intersection of its drivers, an embedded SQLite and a cluster that
 * is spoken to over HTTP. Therefore it has the shape of batches: there is no interactive transaction, so a
 * decision that depends on data is made inside a statement (`INSERT … SELECT … WHERE`,
 * `ON CONFLICT DO NOTHING`) and read off the rows it returns.
 *
 * Rules for statements: no clock and no randomness in SQL (both are parameters, so a statement means the same
 * on every replica); values only as parameters; one statement per question, never one per row. A batch reads
 * back what it changed with a `SELECT … WHERE … AND changes() > 0`, never with `RETURNING`: before version
 * 9.4.2, rqlite does not undo a batch when such a statement fails (rqlite issue 2530).
 */

/**
 * Text holds no NUL, which some versions of the drivers take for its end. Integers are safe integers (at most
 * 2^53 - 1). There is no `boolean` in SQLite: 0 and 1 stand for it.
 */
export type SqlValue = string | number | null;

export interface Statement {
  /** One statement of SQLite's dialect, with a `?` for each parameter. */
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /**
   * Set for a read that comes with every request, mostly with the same parameters: another read, whose rows
   * change whenever those of this one may. A driver may answer from memory while that one has the same rows.
   */
  readonly cachedWhile?: Statement;
}

/** A row by column names. */
export type Row = Readonly<Record<string, SqlValue>>;

/**
 * The writes that a read must have seen.
 *
 * - `linearizable`: every write that was acknowledged to any process before the read began. Decisions need
 *   it: whether a token is valid, whether a name is taken, who owns a project.
 * - `recent`: every write that was acknowledged to this process before. Writes of other processes may be
 *   missing for a second. In return any node of a cluster can answer; it is for lists.
 */
export type Consistency = 'linearizable' | 'recent';

/**
 * The database did not give an answer in time. A batch may have been written or not, entirely or not
 * at all, and may even be written a while later; it is never written twice.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** There is no space left for what was to be written. Nothing of it took effect, and reading goes on. */
export class DatabaseFullError extends Error {
  override readonly name = 'DatabaseFullError';
}

/** Another process keeps the database to itself for longer than one can wait. Nothing took effect. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
}

export interface DatabaseMeasures {
  readonly fileBytes: number;
  /** Of the write-ahead log. */
  readonly walBytes: number;
  /** How many were answered from memory, and how many were not. */
  readonly frequentReads: { readonly hits: number; readonly misses: number };
}

export interface Database {
  /**
   * Runs one statement that only reads.
   *
   * @param consistency - `linearizable` unless given.
   * @returns Its rows, in the order of the statement.
   * @throws DatabaseUnavailableError or DatabaseLockedError when there is no answer in time, another error
   *   when the statement is refused.
   */
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;

  /**
   * Runs statements in order as one atomic, durable batch: when the promise is fulfilled, all of
   * them are on disk, once.
   *
   * @returns For each statement the rows that it selects, or no rows.
   * @throws DatabaseUnavailableError when it is not known whether the batch took effect, DatabaseFullError
   *   or DatabaseLockedError when none of it did, and another error when one of the statements is refused
   *   and none took effect.
   */
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;

  /** @returns What can be told without asking anybody else; nothing of a cluster, which measures itself. */
  measure(): DatabaseMeasures | undefined;

  /**
   * Gives back the disk space that a burst of writes has left in the write-ahead log, if the driver keeps one
   * itself and nobody is using it. Takes little time; call it every minute or so.
   */
  trimLog(): Promise<void>;

  /** Ends the connection; nothing may be asked afterwards. */
  close(): Promise<void>;
}
