/**
 * The embedded driver: one SQLite file in this process. Calls are synchronous, because a statement takes
 * microseconds, and handing it to another thread would take longer. Each commit syncs the write-ahead log, so
 * an acknowledged write survives a power cut (sqlite.org/pragma.html#pragma_synchronous).
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

/** Each statement takes some kilobytes. The filters of lists need hundreds of statements. */
const PREPARED_STATEMENTS_MAX = 400;

interface WaitingBatch extends PromiseWithResolvers<Change> {
  readonly statements: readonly Statement[];
  readonly readBack: Statement | undefined;
}

/** Opens a database file. A missing file or folder is created, readable only by the current user. */
export async function openSqlite(location: SqliteLocation): Promise<Database> {
  const { path } = location;
  const prepared = new Map<string, StatementSync>();
  const waiting: WaitingBatch[] = [];
  let isCommitting = false;
  const openFile = () => openConnection(location);
  const refuse = (): never => { throw new DatabaseUnavailableError('The database is closed'); };
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600)); // SQLite gives its `-wal` and `-shm` the same permissions
  }
  let connection: DatabaseSync | undefined = await untilUnlocked(openFile); // the file may be locked
  let reopen = path === IN_MEMORY ? refuse : openFile; // a second database in memory would be empty

  return {
    /** Reads of a callback share a snapshot: a lock for each read makes a short request a tenth slower. */
    async read(statement) {
      try {
        if (connection?.isTransaction !== true) {
          prepare('BEGIN').get();
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
      reopen = refuse;
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

  /** Batches of requests that started together share one transaction, and one wait for the disk. */
  async function commitWaiting(): Promise<void> {
    isCommitting = true;
    await new Promise<void>(afterPromises); // reads of the same requests run before the wait for the disk
    while (waiting.length > 0) {
      const group = waiting.splice(0); // a batch that joins late could make the group fail again
      while (group.length > 0) {
        try {
          await untilUnlocked(() => commit(group)); // reads go on while a group waits for the lock
        } catch (error) {
          group.splice(0).forEach(({ reject }) => reject(toDatabaseError(error)));
        }
        await nextTurn(); // a long queue of batches must not delay reads
      }
    }
    isCommitting = false;
  }

  /**
   * Commits the first batches of a group. If a batch fails, the transaction is undone, and the next call runs
   * the other batches again. Batches rarely fail: a change that a guard refuses is no failure.
   *
   * @throws When no batch took effect.
   */
  function commit(group: WaitingBatch[]): void {
    rollBack(); // ends the snapshot of reads
    prepare('BEGIN IMMEDIATE').get(); // takes the lock now, not at the first write
    const fullAtMs = performance.now() + GROUP_MS_MAX;
    const changes: Change[] = [];
    try {
      for (const batch of group) {
        try {
          changes.push(run(batch));
        } catch (error) {
          if (connection?.isTransaction !== true) {
            throw error; // for example, a full disk made SQLite undo the transaction
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
      rollBack(); // undoes an uncommitted transaction
    }
    changes.forEach((change) => group.shift()?.resolve(change));
  }

  function run({ statements, readBack }: WaitingBatch): Change {
    const counts = statements.map(({ sql, parameters }) => Number(prepare(sql).run(...parameters).changes));
    return { counts, row: readBack !== undefined && counts[0] === 0 ? all(readBack)[0] : undefined };
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

/** Runs an action after all promises of this callback: `nextTick` in a microtask waits for all microtasks. */
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
