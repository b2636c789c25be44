/** Puts a backup in the place of a database in one step, and keeps the old database under another name. */
import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, isDamaged } from '../../database/sqlite-errors.ts';
import { COMPANIONS, syncToDisk, withSoundCopy } from './backup.ts';
import { planUpgrade } from './upgrade-steps.ts';
import { readVersion } from './upgrade.ts';

/**
 * After an interruption, `path` holds either the complete old database or the complete new database.
 *
 * @param places - The old database gets the second name `aside`. Then `path` gets a copy of `backup`.
 * @returns False if there was no database to replace.
 */
export async function restoreDatabase(
  { backup, path, aside }: Readonly<Record<'backup' | 'path' | 'aside', string>>,
): Promise<boolean> {
  return withSoundCopy(backup, `${path}.restore-${process.pid}`, async (copy) => {
    planUpgrade(await readVersion(copy)); // throws if the service cannot use this schema version
    const isThere = existsSync(path);
    const lock = isThere ? lockExclusively(path) : undefined;
    try {
      for (const companion of COMPANIONS.filter((suffix) => existsSync(path + suffix))) {
        renameSync(path + companion, aside + companion); // keeps even the log files of a damaged database
      }
      if (isThere) {
        linkSync(path, aside);
      }
      renameSync(copy, path);
      syncToDisk(dirname(path));
      return isThere;
    } finally {
      lock?.close();
    }
  });
}

/**
 * The change of the journal mode empties the write-ahead log, and fails while another process has the
 * database open. An exclusive lock keeps other processes out until the database is replaced. A damaged file
 * cannot be locked.
 */
function lockExclusively(path: string): DatabaseSync | undefined {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    if (isDamaged(error)) {
      return undefined;
    }
    throw isBusy(error) ? new Error(`another process uses "${path}": stop the service first`) : error;
  }
}
