/**
 * The embedded driver: one SQLite file in this process, through `node:sqlite`. Its calls are synchronous: a
 * statement of this service takes microseconds, and a thread hop would cost more than it saves.
 *
 * Durability: WAL with `synchronous=FULL` syncs the log at each commit, so an acknowledged write survives a
 * power cut; `NORMAL` would only survive a crash of the process (sqlite.org/pragma.html#pragma_synchronous).
 */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  DatabaseUnavailableError, type Change, type Database, type Row, type Statement,
} from './database.ts';
import { IN_MEMORY } from './location.ts';
import { openConnection, type Synchronous } from './sqlite-connection.ts';
import { isBusy, toDatabaseError } from './sqlite-errors.ts';
import { assertSound } from './sqlite-files.ts';

/** Files up to this size are checked when they are opened, which takes about 1.1 ms per megabyte. */
const CHECKED_BYTES_MAX = 1_073_741_824;

/** How long a write waits for another process that writes to the same file, before it fails. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_RETRY_MS = 20;

/** A transaction takes no further batch after this time: enough batches share the wait for the disk. */
const GROUP_MS_MAX = 5;

/**
 * The most prepared statements: more than the service has. Reaching this number means that a value was put
 * into the text of a statement.
 */
const PREPARED_STATEMENTS_MAX = 400;

/** A batch that has not run yet, and the functions that settle its promise. */
interface WaitingBatch {
  readonly statements: readonly Statement[];
  readonly readBack: Statement | undefined;
  readonly resolve: (change: Change) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens the file, and creates it and its folder if they do not exist, readable by their owner only.
 *
 * @param path - A file, or `:memory:` for a database that ends with the process.
 * @throws When the file cannot be opened, is damaged, or is not a SQLite database of this service.
 */
export async function openSqlite(path: string, synchronous: Synchronous = 'full'): Promise<Database> {
  const file = path === IN_MEMORY ? path : resolve(path); // SQLite would interpret a URI
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600)); // SQLite gives its `-wal` and `-shm` the same permissions
    if (statSync(file).size <= CHECKED_BYTES_MAX) {
      await untilUnlocked(() => assertSound(file));
    }
  }
  const open = () => openConnection(file, synchronous);
  return new SqliteDatabase(await untilUnlocked(open), path === IN_MEMORY ? undefined : open);
}

class SqliteDatabase implements Database {
  /** Absent once it has become unusable, until the next read or write opens the file again. */
  #connection: DatabaseSync | undefined;
  /** Opens the file again; absent for a database in memory, and once the database is closed. */
  #reopen: (() => DatabaseSync) | undefined;
  #prepared = new Map<string, StatementSync>();
  readonly #waiting: WaitingBatch[] = [];
  #isCommitting = false;

  constructor(connection: DatabaseSync, reopen: (() => DatabaseSync) | undefined) {
    this.#connection = connection;
    this.#reopen = reopen;
  }

  /** Both levels of consistency return the same rows here. */
  async read(statement: Statement): Promise<readonly Row[]> {
    try {
      return this.#all(statement);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async write(statements: readonly Statement[]): Promise<void> {
    await this.change(statements);
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

  async #commitWaiting(): Promise<void> {
    this.#isCommitting = true;
    for (let group = this.#waiting.splice(0); group.length > 0;) {
      try {
        // Another process may hold the lock, for example during a backup. Reads go on meanwhile.
        const next = group;
        group = await untilUnlocked(() => this.#commitGroup(next));
      } catch (error) { // there is no connection, or the lock was held for too long
        group.splice(0).forEach(({ reject }) => reject(error));
      }
      await nextTurn(); // a long queue of writes must not delay reads
      // The rest of a group runs without newer batches. Otherwise it could fail again and again.
      group = group.length > 0 ? group : this.#waiting.splice(0);
    }
    this.#isCommitting = false;
  }

  /**
   * Runs without interruption, so that no read sees what is not committed.
   *
   * @returns The batches that are not settled, to be run next.
   * @throws When there is no connection, or another process holds the lock; then no batch has run.
   */
  #commitGroup(group: readonly WaitingBatch[]): WaitingBatch[] {
    const connection = this.#connect();
    connection.exec('BEGIN IMMEDIATE'); // takes the lock now, not at the first write
    const changes: Change[] = [];
    const fullAtMs = performance.now() + GROUP_MS_MAX;
    let failing: readonly WaitingBatch[] = group;
    try {
      for (const batch of group) {
        failing = [batch];
        changes.push(this.#runBatch(batch));
        if (performance.now() > fullAtMs) {
          break;
        }
      }
      failing = group;
      connection.exec('COMMIT');
    } catch (error) {
      // SQLite itself undoes everything after some errors, as on a full disk: then all batches have failed.
      const failed = connection.isTransaction ? failing : group;
      const outcome = this.#rollBack(connection, error);
      failed.forEach(({ reject }) => reject(outcome));
      return group.filter((batch) => !failed.includes(batch));
    }
    changes.forEach((change, index) => group[index]?.resolve(change));
    return group.slice(changes.length);
  }

  #runBatch({ statements, readBack }: WaitingBatch): Change {
    const counts = statements.map(({ sql, parameters }) => {
      return Number(this.#prepare(sql).run(...parameters).changes);
    });
    const [row] = readBack !== undefined && counts[0] === 0 ? this.#all(readBack) : [];
    return { counts, row };
  }

  /**
   * Ends a failed transaction, if SQLite has not done so itself. If the rollback fails too, the connection is
   * closed, which undoes the transaction for certain: no later read or write may see its changes.
   *
   * @returns The error to report to the batches that are refused.
   */
  #rollBack(connection: DatabaseSync, failure: unknown): unknown {
    try {
      if (connection.isTransaction) {
        connection.exec('ROLLBACK');
      }
      return failure;
    } catch (error) {
      this.#disconnect();
      return new DatabaseUnavailableError('A transaction could be neither committed nor rolled back', {
        cause: new AggregateError([failure, error]),
      });
    }
  }

  #all({ sql, parameters }: Statement): readonly Row[] {
    // Integers and text come back as numbers and strings; the tables hold nothing else.
    return this.#prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      return known;
    }
    if (this.#prepared.size >= PREPARED_STATEMENTS_MAX) {
      throw new Error(`Cannot prepare more than ${PREPARED_STATEMENTS_MAX} distinct statements`);
    }
    const statement = this.#connect().prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  #connect(): DatabaseSync {
    if (this.#connection === undefined) {
      if (this.#reopen === undefined) {
        throw new DatabaseUnavailableError('The database is closed');
      }
      this.#connection = this.#reopen();
    }
    return this.#connection;
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#prepared = new Map();
  }

  async close(): Promise<void> {
    this.#reopen = undefined;
    this.#disconnect();
  }
}

/** Retries while another process holds the lock of the file. This process goes on meanwhile. */
async function untilUnlocked<Result>(action: () => Result): Promise<Result> {
  const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) {
        throw error;
      }
    }
    await pause(LOCK_RETRY_MS);
  }
}

/**
 * Runs a function after the promises of this callback of the event loop: `nextTick`, called in a microtask,
 * waits for all other microtasks.
 */
function afterPromises(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}
