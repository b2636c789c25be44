/**
 * Works on a SQLite file as a whole: to tell whose it is, to copy it while others write, to look for
 * damage, and to put another file in its place. A database is up to three files: `-wal` holds what was
 * written last, and `-shm` belongs to it.
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { isBusy, isDamaged } from './sqlite-errors.ts';

/** `Roll`, in the header of every database of this service (sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x526f6c6c;

/** Between two of these steps a progress bar moves. */
const PAGES_AT_ONCE = 4_096;
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Marks a new database as one of this service.
 *
 * @throws When it is the database of another program. It has only been read then.
 */
export function claimDatabase(connection: DatabaseSync): void {
  if (readApplicationId(connection) === APPLICATION_ID) {
    return;
  }
  connection.exec('BEGIN IMMEDIATE'); // of several that open a new file at once, the first one marks it
  try {
    const id = readApplicationId(connection);
    if (id === 0 && connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) {
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    } else if (id !== APPLICATION_ID) {
      throw new Error('it is a database of another program');
    }
    connection.exec('COMMIT');
  } finally {
    if (connection.isTransaction) {
      connection.exec('ROLLBACK');
    }
  }
}

function readApplicationId(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA application_id').get()?.['application_id']);
}

/** @throws When the file is a database of another program, or none. */
export function assertOwnDatabase(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    if (readApplicationId(connection) !== APPLICATION_ID) {
      throw new Error('it is no database of this service');
    }
  } finally {
    connection.close();
  }
}

/**
 * Copies a database as it is at one moment, that of the call, while others may read and write it.
 *
 * @param to - A file that does not exist. When this returns it is on the disk, readable by its owner only.
 * @param onProgress - Called with pages, done and in all.
 */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  const source = new DatabaseSync(from);
  try {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get(); // from here on the transaction sees one state
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.close();
  }
  syncToDisk(to);
}

/** @returns A sentence for each thing that is wrong with the file itself; none for a sound one. */
export function findDamage(path: string): readonly string[] {
  try {
    const connection = new DatabaseSync(path);
    try {
      const damage = connection.prepare('PRAGMA integrity_check').all().map(
        (row) => String(row['integrity_check']),
      );
      const orphans = connection.prepare('PRAGMA foreign_key_check').all()
        .map(({ rowid, table, parent }) => {
          return `row ${rowid} of "${table}" refers to a row of "${parent}" that is not there`;
        });
      return [...damage.filter((text) => text !== 'ok'), ...orphans];
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamaged(error)) {
      return [error instanceof Error ? error.message : String(error)];
    }
    throw error;
  }
}

/**
 * Puts a file in the place of a database, in one step: whenever this is interrupted, either is there, whole.
 * The database that was there gets another name, and what a damaged one leaves of its log goes with it.
 *
 * @param aside - The new name of what was there.
 * @returns False when nothing was there.
 * @throws When another process has the database open.
 */
export function replaceDatabase(path: string, next: string, aside: string): boolean {
  const isThere = existsSync(path);
  const release = isThere ? takeForOneself(path) : () => {};
  try {
    for (const companion of COMPANIONS.filter((suffix) => existsSync(path + suffix))) {
      renameSync(path + companion, aside + companion);
    }
    if (isThere) {
      linkSync(path, aside);
    }
    renameSync(next, path);
    syncToDisk(dirname(path));
    return isThere;
  } finally {
    release();
  }
}

/**
 * Leaving the journal mode WAL needs the only connection to the file, and moves all of the log into it; the
 * lock that follows keeps others out. A damaged file has no locks to take.
 *
 * @returns Gives the file back.
 */
function takeForOneself(path: string): () => void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('PRAGMA journal_mode = DELETE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (isDamaged(error)) {
      return () => {};
    }
    throw isBusy(error) ? new Error(`another process uses "${path}": stop the service first`) : error;
  }
  return () => connection.close();
}

/** @param path - A file or a folder, whose entries are meant then. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
