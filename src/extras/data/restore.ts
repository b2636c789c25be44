/** Puts a backup in the place of a database, atomically, and keeps the old database under another name. */
import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { planSchema, readSchemaVersion } from '../../database/create-schema.ts';
import type { Database } from '../../database/database.ts';
import { isBusy, isDamaged } from '../../database/sqlite-errors.ts';
import { schema } from '../../stores/schema.ts';
import { COMPANIONS, copySoundly, removeDatabase, syncToDisk } from './backup.ts';

interface Restoration {
  readonly backup: string;
  /** The database to replace. */
  readonly path: string;
  /** The new name of the old database. */
  readonly aside: string;
}

/**
 * After an interruption, the path holds either the old or the new database, whole.
 *
 * @param open - Opens an existing database.
 * @returns False when there was no old database.
 * @throws When another process has the database open, or the service cannot start on the backup.
 */
export async function restoreDatabase(
  { backup, path, aside }: Restoration, open: (path: string) => Promise<Database>,
): Promise<boolean> {
  const part = `${path}.restore-${process.pid}`;
  let release = () => {};
  try {
    await copySoundly(backup, part);
    const database = await open(part);
    const version = await readSchemaVersion(database).finally(() => database.close());
    if (version !== schema.version) {
      planSchema(schema, version); // throws unless the next start can upgrade it
    }
    const isThere = existsSync(path);
    release = isThere ? lockExclusively(path) : release;
    for (const companion of COMPANIONS.filter((suffix) => existsSync(path + suffix))) {
      renameSync(path + companion, aside + companion); // the log of a damaged database
    }
    if (isThere) {
      linkSync(path, aside);
    }
    renameSync(part, path);
    syncToDisk(dirname(path));
    return isThere;
  } finally {
    release();
    removeDatabase(part);
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
    connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (isDamaged(error)) {
      return () => {};
    }
    throw isBusy(error) ? new Error(`another process uses "${path}": stop the service first`) : error;
  }
  return () => connection.close();
}
