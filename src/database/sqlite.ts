/**
 * The driver for one SQLite file. Calls are synchronous, because most statements take less time than a
 * message to another thread. By default, each commit syncs the write-ahead log, so acknowledged writes
 * survive a power cut (sqlite.org/pragma.html#pragma_synchronous).
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

/** When opening or committing, the driver waits at most this long for other processes to unlock the file. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_RETRY_MS = 20;

/** After this time, the driver commits, even if batches still wait. The event loop can then do other work. */
const GROUP_MS_MAX = 5;

/** Each prepared statement takes some KB of memory. Each combination of list filters needs one statement. */
const PREPARED_STATEMENTS_MAX = 400;

interface WaitingBatch extends PromiseWithResolvers<Change> {
  readonly statements: readonly Statement[];
  readonly readBack: Statement | undefined;
}

/** Opens a database file, or creates a file that only the current user can read. */
export async function openSqlite(location: SqliteLocation): Promise<Database> {
  const { path } = location;
  const prepared = new Map<string, StatementSync>();
  const waiting: WaitingBatch[] = [];
  let isCommitting = false;
  const openFile = () => openConnection(location);
  const failClosed = (): never => { throw new DatabaseUnavailableError('The database is closed'); };
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600)); // SQLite copies these permissions to `-wal` and `-shm`
  }
  let connection: DatabaseSync | undefined = await untilUnlocked(openFile); // another process can hold a lock
  let reopen = path === IN_MEMORY ? failClosed : openFile; // a reopened database in memory would be empty

  return {
    /** All calls of `read` in one callback of the event loop use one snapshot. */
    async read(statement) {
      try {
        if (connection?.isTransaction !== true) {
          prepare('BEGIN').get(); // if each read took a snapshot, a short request would take 10 % longer
          afterPromises(rollBack);
        }
        return all(statement);
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
    write: change,
    change,
    async close() {
      reopen = failClosed;
      disconnect();
    },
  };

  function change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    const batch = { statements, readBack, ...Promise.withResolvers<Change>() };
    waiting.push(batch);
    if (!isCommitting) {
      void commitWaiting();
    }
    return batch.promise;
  }

  /** If requests arrive together, their batches share one transaction and one wait for the disk. */
  async function commitWaiting(): Promise<void> {
    isCommitting = true;
    await new Promise<void>(afterPromises); // lets calls of `read` run first: a read is faster than a commit
    while (waiting.length > 0) {
      const group = waiting.splice(0); // later batches wait, so they cannot make this group fail repeatedly
      while (group.length > 0) {
        try {
          await untilUnlocked(() => commit(group)); // the batches wait for the lock, but `read` does not
        } catch (error) {
          group.splice(0).forEach(({ reject }) => reject(toDatabaseError(error)));
        }
        await nextTurn(); // lets calls of `read` run between two groups of batches
      }
    }
    isCommitting = false;
  }

  /**
   * Runs batches for `GROUP_MS_MAX`, then commits. If a batch fails, `commit` rolls back the transaction and
   * removes this batch. The next call runs the other batches again. A refusal by a guard is not a failure.
   *
   * @throws If the transaction itself fails, for example because the disk is full.
   */
  function commit(group: WaitingBatch[]): void {
    rollBack(); // ends the snapshot of `read`
    prepare('BEGIN IMMEDIATE').get(); // takes the write lock now, not at the first change
    const fullAtMs = performance.now() + GROUP_MS_MAX;
    const changes: Change[] = [];
    try {
      for (const batch of group) {
        try {
          changes.push(run(batch));
        } catch (error) {
          if (connection?.isTransaction !== true) {
            throw error; // SQLite has rolled back the transaction, for example because the disk is full
          }
          batch.reject(toDatabaseError(error));
          group.splice(changes.length, 1);
          return;
        }
        if (performance.now() > fullAtMs) {
          break;
        }
      }
      prepare('COMMIT').get();
    } finally {
      rollBack(); // ends an uncommitted transaction
    }
    changes.forEach((change) => group.shift()?.resolve(change));
  }

  function run({ statements, readBack }: WaitingBatch): Change {
    const counts = statements.map(({ sql, parameters }) => Number(prepare(sql).run(...parameters).changes));
    const isAllowed = counts[0] === 0; // if a guard fails, the first statement inserts rows into `refusal`
    return { counts, row: readBack !== undefined && isAllowed ? all(readBack)[0] : undefined };
  }

  function rollBack(): void {
    try {
      if (connection?.isTransaction === true) {
        prepare('ROLLBACK').get();
      }
    } catch {
      disconnect(); // closing the connection always ends the transaction
    }
  }

  function all({ sql, parameters }: Statement): readonly Row[] {
    // SQLite returns integers as numbers, and text as strings. The tables contain no floats or blobs.
    return prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  function prepare(sql: string): StatementSync {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      connection ??= reopen();
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
 * Runs an action after all microtasks. If a microtask calls `nextTick`, Node.js runs the remaining microtasks
 * before the action.
 */
const afterPromises = (action: () => void) => queueMicrotask(() => process.nextTick(action));

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
