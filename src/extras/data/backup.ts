/**
 * Backup and restore of a whole SQLite file: copy it while others write, check the copy, put it in place of
 * the database. A database has up to three files: `-wal` holds the latest writes, and `-shm` is the index of
 * `-wal`.
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { isBusy, isDamaged } from '../../database/sqlite-errors.ts';

/** The number of pages that are copied at once. */
const PAGES_AT_ONCE = 4_096;
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Copies a snapshot of a database, taken at the call, while others may read and write it.
 *
 * @param to - A file that does not exist. When this returns it is on the disk, readable by its owner only.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  const source = new DatabaseSync(from);
  try {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get(); // the first read begins the snapshot
    await backup(source, to, { rate: PAGES_AT_ONCE });
  } finally {
    source.close();
  }
  syncToDisk(to);
}

/** @returns One sentence for each defect of the file; empty for a sound file. */
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
 * Replaces a database by another file, atomically: after an interruption, the path holds either the old or
 * the new database, whole. The old database is kept under another name. If it is damaged, it may have left
 * a log, which is kept with it.
 *
 * @param aside - The new name of the old database.
 * @returns False when there was no old database.
 * @throws When another process has the database open.
 */
export function replaceDatabase(path: string, next: string, aside: string): boolean {
  const isThere = existsSync(path);
  const release = isThere ? lockExclusively(path) : () => {};
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
 * Makes sure that no other process uses the file. Switching from WAL to DELETE fails while another connection
 * exists, and also empties the log. An exclusive lock then keeps other processes out. A damaged file cannot
 * be locked.
 *
 * @returns A function that releases the lock.
 */
function lockExclusively(path: string): () => void {
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

/** @param path - A file, or a folder to sync the names in it. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
