/**
 * The embedded driver: one SQLite file in this process, through `node:sqlite`. Its calls are synchronous: a
 * statement of this service takes microseconds, and a thread hop would cost more than it saves.
 *
 * Durability: WAL with `synchronous=FULL` syncs the log at each commit, so an acknowledged write survives a
 * power cut; `NORMAL` would only survive a crash of the process (sqlite.org/pragma.html#pragma_synchronous).
 */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  DatabaseUnavailableError,
  type Change, type Database, type DatabaseMeasures, type Row, type Statement,
} from './database.ts';
import { IN_MEMORY } from './location.ts';
import {
  afterPromises, LOCK_RETRY_MS, LOCK_TIMEOUT_MS, LOG_BYTES_MAX, SqliteConnection, type Synchronous,
} from './sqlite-connection.ts';
import { isBusy, toDatabaseError } from './sqlite-errors.ts';
import { assertSound } from './sqlite-files.ts';

/** Files up to this size are checked when they are opened, which takes about 1.1 ms per megabyte. */
const CHECKED_BYTES_MAX = 1_073_741_824;

/**
 * The most batches in one transaction: enough to share the wait for the disk, few enough not to delay other
 * requests.
 */
const GROUP_MAX = 64;
/** A transaction takes no further batch after this time, so that large batches do not add up. */
const GROUP_MS_MAX = 10;

/** A batch that has not run yet, and the functions that settle its promise. */
interface WaitingBatch {
  readonly statements: readonly Statement[];
  readonly readBack: Statement | undefined;
  readonly resolve: (change: Change) => void;
  readonly reject: (error: unknown) => void;
}

export class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #synchronous: Synchronous;
  /**
   * The connection. Absent once it has become unusable, until the next read or write opens the file again.
   */
  #connection: SqliteConnection | undefined;
  #isClosed = false;

  readonly #waiting: WaitingBatch[] = [];
  #isCommitting = false;

  /**
   * Opens the file, and creates it and its folder if they do not exist, readable by their owner only.
   *
   * @param path - A file, or `:memory:` for a database that ends with the process.
   * @throws When the file cannot be opened, is damaged, or is not a SQLite database of this service.
   */
  constructor(path: string, synchronous: Synchronous = 'full') {
    this.#path = path;
    this.#synchronous = synchronous;
    if (path !== IN_MEMORY) {
      createPrivateFile(path);
    }
    this.#connection = new SqliteConnection(path, synchronous);
    try {
      if (path !== IN_MEMORY && statSync(path).size <= CHECKED_BYTES_MAX) {
        assertSound(path, LOCK_TIMEOUT_MS);
      }
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** Both levels of consistency return the same rows here. */
  async read(statement: Statement): Promise<readonly Row[]> {
    try {
      const connection = this.#connect();
      connection.shareSnapshot();
      return connection.run(statement);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * Writes a batch. Batches of requests that started together share one transaction, and so one wait for the
   * disk (group commit). Their reads come first, so their clients need not wait for the disk. Each batch has
   * its own outcome: if one fails, the transaction is undone, and the others run again without it. That is
   * rare, because a refusal is not a failure: it changes no row. No batch is acknowledged before the commit.
   */
  change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        statements, readBack, resolve, reject: (error) => reject(toDatabaseError(error)),
      });
      if (this.#waiting.length === 1 && !this.#isCommitting) {
        afterPromises(() => void this.#commitWaiting());
      }
    });
  }

  async write(statements: readonly Statement[]): Promise<void> {
    await this.change(statements);
  }

  async #commitWaiting(): Promise<void> {
    this.#isCommitting = true;
    while (this.#waiting.length > 0) {
      let group = this.#waiting.splice(0, GROUP_MAX);
      while (group.length > 0) { // without newer batches, which could fail again and again
        try {
          group = this.#commitGroup(await this.#begin(), group);
        } catch (error) { // there is no connection, or another process holds the lock
          group.splice(0).forEach(({ reject }) => reject(error));
        }
        await nextTurn(); // a long queue of writes must not delay reads
      }
    }
    this.#isCommitting = false;
  }

  /**
   * Runs in one turn of the event loop, so nothing interleaves.
   *
   * @returns The batches that are not settled, to be run next.
   */
  #commitGroup(connection: SqliteConnection, group: readonly WaitingBatch[]): WaitingBatch[] {
    const changes: Change[] = [];
    const fullAtMs = performance.now() + GROUP_MS_MAX;
    let running: WaitingBatch | undefined;
    try {
      for (const batch of group) {
        running = batch;
        changes.push(runBatch(connection, batch));
        if (performance.now() > fullAtMs) {
          break;
        }
      }
      running = undefined;
      connection.exec('COMMIT');
    } catch (error) {
      // If the commit failed, or SQLite itself has undone everything, as on a full disk, all batches failed.
      const failed = running !== undefined && connection.isInTransaction ? [running] : group;
      const outcome = this.#leaveTransaction(connection, error);
      failed.forEach(({ reject }) => reject(outcome));
      return group.filter((batch) => !failed.includes(batch));
    }
    changes.forEach((change, index) => group[index]?.resolve(change));
    return group.slice(changes.length);
  }

  /**
   * Rolls back a failed transaction, if SQLite has not done so itself. If the rollback fails too, the
   * connection is closed, which undoes the transaction for certain: no later read or write may see its
   * changes.
   *
   * @returns The error to report to the batches that are refused.
   */
  #leaveTransaction(connection: SqliteConnection, failure: unknown): unknown {
    try {
      if (connection.isInTransaction) {
        connection.exec('ROLLBACK');
      }
      return failure;
    } catch (error) {
      connection.close();
      this.#connection = undefined;
      return new DatabaseUnavailableError('A transaction could be neither committed nor rolled back', {
        cause: new AggregateError([failure, error]),
      });
    }
  }

  /**
   * @returns The connection. If it was closed, opens a new connection to the same file, which must still
   *   exist.
   */
  #connect(): SqliteConnection {
    if (this.#connection === undefined) {
      if (this.#isClosed || this.#path === IN_MEMORY) {
        const reason = this.#isClosed ? 'The database is closed' : 'The database in memory is lost';
        throw new DatabaseUnavailableError(reason);
      }
      this.#connection = new SqliteConnection(this.#path, this.#synchronous);
    }
    return this.#connection;
  }

  /**
   * Takes the write lock. Waits while another process holds it, for example during a backup; this process
   * keeps serving reads.
   */
  async #begin(): Promise<SqliteConnection> {
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        const connection = this.#connect();
        connection.beginWrite();
        return connection;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) {
          throw error;
        }
      }
      await pause(LOCK_RETRY_MS);
    }
  }

  measure(): DatabaseMeasures {
    return { fileBytes: sizeOf(this.#path), walBytes: sizeOf(`${this.#path}-wal`) };
  }

  async trimLog(): Promise<void> {
    try {
      if (sizeOf(`${this.#path}-wal`) > LOG_BYTES_MAX) {
        this.#connect().trimLog();
      }
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Runs a batch in the open transaction. @throws When a statement fails; then nothing may be committed. */
function runBatch(connection: SqliteConnection, { statements, readBack }: WaitingBatch): Change {
  const counts = statements.map((statement) => connection.change(statement));
  const [row] = readBack !== undefined && counts[0] === 0 ? connection.run(readBack) : [];
  return { counts, row };
}

/** @returns 0 if the file is missing; a database in memory has none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite gives its `-wal` and `-shm` files the permissions of the database file. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
