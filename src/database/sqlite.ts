/**
 * The embedded driver: one SQLite file in this process. Calls are synchronous, because a statement takes
 * microseconds, and handing it to another thread would take longer.
 *
 * With a write-ahead log and `synchronous=FULL`, each commit syncs the log, so an acknowledged write survives
 * a power cut (sqlite.org/pragma.html#pragma_synchronous).
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  DatabaseUnavailableError, type Change, type Database, type Row, type Statement,
} from './database.ts';
import { IN_MEMORY, type SqliteLocation } from './location.ts';
import { isBusy, toDatabaseError } from './sqlite-errors.ts';
import { openConnection } from './sqlite-files.ts';

/** How long a batch, and all batches behind it, wait while another process holds the lock. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_RETRY_MS = 20;

/** The time after which a transaction takes no more batches, so that the event loop gets a turn. */
const GROUP_MS_MAX = 5;

/** How many prepared statements are kept, in some kilobytes each. The filters of lists need hundreds. */
const PREPARED_STATEMENTS_MAX = 400;

interface WaitingBatch extends PromiseWithResolvers<Change> {
  readonly statements: readonly Statement[];
  readonly readBack: Statement | undefined;
}

/** Opens a database file. A missing file or folder is created, readable only by the current user. */
export async function openSqlite(location: SqliteLocation): Promise<Database> {
  const { path } = location;
  const open = () => openConnection(location);
  if (path === IN_MEMORY) {
    return createDriver(open(), refuseClosed); // if it were opened again, a database in memory would be empty
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600)); // SQLite gives its `-wal` and `-shm` the same permissions
  return createDriver(await untilUnlocked(open), open); // a new file is locked while it is switched to WAL
}

function refuseClosed(): never {
  throw new DatabaseUnavailableError('The database is closed');
}

/** @param open - Opens the database file again after a failure. */
function createDriver(connection: DatabaseSync | undefined, open: () => DatabaseSync): Database {
  const prepared = new Map<string, StatementSync>();
  const waiting: WaitingBatch[] = [];
  let isCommitting = false;

  return {
    /**
     * All reads of one callback of the event loop share a snapshot of the database, because a lock for each
     * read would take a tenth of the CPU time of a short request.
     */
    async read(statement) {
      try {
        connection ??= open();
        if (!connection.isTransaction) {
          prepare('BEGIN').get();
          afterPromises(rollBack);
        }
        return all(statement);
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
    async write(statements) {
      if (statements.length > 0) {
        await change(statements);
      }
    },
    change,
    async close() {
      open = refuseClosed;
      disconnect();
    },
  };

  function change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    const settle = Promise.withResolvers<Change>();
    waiting.push({ statements, readBack, ...settle });
    if (!isCommitting) {
      void commitWaiting();
    }
    return settle.promise;
  }

  /** Batches of requests that started together share one transaction, and one wait for the disk. */
  async function commitWaiting(): Promise<void> {
    isCommitting = true;
    const group: WaitingBatch[] = [];
    await new Promise<void>(afterPromises); // the reads of these requests need not wait for the disk
    while (group.length > 0 || waiting.length > 0) {
      if (group.length === 0) { // a newer batch could make the rest of the group fail again
        group.push(...waiting.splice(0));
      }
      try {
        await untilUnlocked(() => commit(group)); // reads go on while a group waits for the lock
      } catch (error) {
        group.splice(0).forEach(({ reject }) => reject(toDatabaseError(error)));
      }
      await nextTurn(); // a long queue of batches must not delay reads
    }
    isCommitting = false;
  }

  /**
   * Commits the first batches of a group. If a batch fails, the transaction is undone, and the other batches
   * run again. Batches rarely fail, because a change that a guard refuses is no failure.
   *
   * @throws When no batch of the group took effect.
   */
  function commit(group: WaitingBatch[]): void {
    rollBack(); // ends the snapshot of reads
    prepare('BEGIN IMMEDIATE').get(); // takes the lock now, not at the first write
    const fullAtMs = performance.now() + GROUP_MS_MAX;
    const changes: Change[] = [];
    try {
      for (const batch of group) {
        const change = run(batch);
        if (change === undefined) {
          group.splice(changes.length, 1);
          return; // `commitWaiting` runs the rest of the group again
        }
        changes.push(change);
        if (performance.now() > fullAtMs) {
          break;
        }
      }
      prepare('COMMIT').get();
    } finally {
      rollBack(); // undoes an uncommitted transaction
    }
    changes.forEach((change) => group.shift()?.resolve(change));
  }

  /** @returns Nothing if the batch failed. @throws If a full disk made SQLite undo the transaction. */
  function run({ statements, readBack, reject }: WaitingBatch): Change | undefined {
    try {
      const counts = statements.map(({ sql, parameters }) => Number(prepare(sql).run(...parameters).changes));
      const isDone = counts[0] === 0; // the first statement of the batch refused nothing
      const [row] = readBack !== undefined && isDone ? all(readBack) : [];
      return { counts, row };
    } catch (error) {
      if (connection?.isTransaction !== true) {
        throw error;
      }
      reject(toDatabaseError(error));
      return undefined;
    }
  }

  function rollBack(): void {
    try {
      if (connection?.isTransaction === true) {
        prepare('ROLLBACK').get();
      }
    } catch {
      disconnect(); // closing the connection ends the transaction for certain
    }
  }

  function all({ sql, parameters }: Statement): readonly Row[] {
    // Integers and text come back as numbers and strings; the tables hold nothing else.
    return prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  function prepare(sql: string): StatementSync {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      connection ??= open();
      statement = connection.prepare(sql);
      prepared.set(sql, statement);
      if (prepared.size > PREPARED_STATEMENTS_MAX) {
        prepared.delete(prepared.keys().next().value ?? ''); // the oldest prepared statement
      }
    }
    return statement;
  }

  function disconnect(): void {
    prepared.clear();
    connection?.close();
    connection = undefined;
  }
}

/**
 * Runs an action after all promises of the current callback of the event loop, by `nextTick` in a microtask,
 * which waits for all other microtasks.
 */
function afterPromises(action: () => void): void {
  queueMicrotask(() => process.nextTick(action));
}

async function untilUnlocked<Result>(action: () => Result): Promise<Result> {
  for (const deadlineMs = performance.now() + LOCK_TIMEOUT_MS; ; await pause(LOCK_RETRY_MS)) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) {
        throw error;
      }
    }
  }
}
