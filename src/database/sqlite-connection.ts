/**
 * One connection to a SQLite file through `node:sqlite`: its settings, and its prepared statements. The
 * driver in sqlite.ts owns batches and caches, and replaces a connection that has become unusable.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Row, Statement } from './database.ts';
import { IN_MEMORY } from './location.ts';
import { isBusy } from './sqlite-errors.ts';
import { assertNotForeign } from './sqlite-files.ts';

/** How long a write waits for another process that writes to the same file, before it fails. */
export const LOCK_TIMEOUT_MS = 5_000;
export const LOCK_RETRY_MS = 20;

/** The part of LOCK_TIMEOUT_MS that passes inside SQLite, which blocks the whole process. */
const BUSY_TIMEOUT_MS = 20;

/**
 * The most memory for pages of the file. With the default of 2 MiB, each page that is not in memory costs a
 * system call. With a file of 115 MB, twice this size is no faster, and half of it makes searches slower.
 */
const CACHE_KIB_MAX = 16_384;

/**
 * The size of the write-ahead log at which a commit copies it into the file. A page that was written many
 * times is copied once, so a longer log makes writes cheaper. A shorter one makes the pauses shorter.
 */
const LOG_PAGES = 4_000;

/**
 * By default SQLite never shrinks its write-ahead log, so a burst would occupy the disk for ever. With a
 * limit, the commit that restarts the log truncates it. The limit is twice the size at which SQLite normally
 * restarts the log, so ordinary commits neither truncate nor extend the file.
 */
export const LOG_BYTES_MAX = 33_554_432;

/**
 * The most prepared statements: more than the service has. Reaching this number means that a value was put
 * into the text of a statement.
 */
const PREPARED_STATEMENTS_MAX = 400;

/** With `normal`, a power cut may lose the last writes; the end of the process alone never does. */
export type Synchronous = 'full' | 'normal';

export class SqliteConnection {
  readonly #handle: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #hasSnapshot = false;

  /**
   * @param path - A file that exists, or `:memory:`.
   * @throws When the file is missing, cannot be opened, or is not a SQLite database of this service.
   */
  constructor(path: string, synchronous: Synchronous) {
    this.#handle = new DatabaseSync(path === IN_MEMORY ? path : toUrlOfExisting(path), {
      timeout: LOCK_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    try {
      assertNotForeign(this.#handle);
      this.#useLog();
      // Temporary files stay in memory, because a read-only container has no place for them.
      this.exec(`
        PRAGMA temp_store = MEMORY; PRAGMA synchronous = ${synchronous};
        PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cache_size = -${CACHE_KIB_MAX};
        PRAGMA wal_autocheckpoint = ${LOG_PAGES}; PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
      this.#begin = this.#handle.prepare('BEGIN');
      this.#end = this.#handle.prepare('COMMIT');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Switches to WAL, and retries. Two processes that switch a new file at once could deadlock, so SQLite
   * refuses one of them without waiting.
   */
  #useLog(): void {
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        return this.exec('PRAGMA journal_mode = WAL');
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) {
          throw error;
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
      }
    }
  }

  /** True after BEGIN, until COMMIT, ROLLBACK or an error ends the transaction. */
  get isInTransaction(): boolean {
    return this.#handle.isTransaction;
  }

  /** @param sql - One or more statements without parameters, whose rows are not needed. */
  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  /** @returns The number of rows that the statement changed, without those of triggers. */
  change({ sql, parameters }: Statement): number {
    return Number(this.#prepare(sql).run(...parameters).changes);
  }

  run({ sql, parameters }: Statement): readonly Row[] {
    // Integers and text come back as numbers and strings; the tables hold nothing else.
    return this.#prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  /**
   * Lets all reads of this callback of the event loop see one snapshot. Otherwise each would lock and unlock
   * the file, which takes two of the three microseconds of a short read.
   *
   * The snapshot ends with the callback and its promises. So a request that arrives later sees what other
   * processes have committed until then.
   */
  shareSnapshot(): void {
    if (!this.#hasSnapshot && !this.isInTransaction) {
      this.#begin.run();
      this.#hasSnapshot = true;
      afterPromises(() => this.#endSnapshot());
    }
  }

  #endSnapshot(): void {
    if (this.#hasSnapshot) {
      this.#hasSnapshot = false;
      if (this.isInTransaction) { // SQLite ends it after some errors
        this.#end.run();
      }
    }
  }

  /** Takes the write lock now, not at the first write. @throws When another process holds the lock. */
  beginWrite(): void {
    this.#endSnapshot();
    this.exec('BEGIN IMMEDIATE');
  }

  /** Moves the write-ahead log into the file and empties it, unless another connection is busy with it. */
  trimLog(): void {
    this.#endSnapshot();
    this.#handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Undoes an open transaction, and releases every lock. */
  close(): void {
    this.#hasSnapshot = false;
    this.#handle.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      return known;
    }
    if (this.#prepared.size >= PREPARED_STATEMENTS_MAX) {
      throw new Error(`Cannot prepare more than ${PREPARED_STATEMENTS_MAX} distinct statements`);
    }
    const statement = this.#handle.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/**
 * Runs a function after the promises of this callback of the event loop: `nextTick`, called in a microtask,
 * waits for all other microtasks.
 */
export function afterPromises(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}

/** With a bare path, SQLite would silently create an empty database in place of a missing file. */
function toUrlOfExisting(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}
