/** Opens SQLite files, and checks that each file is undamaged and belongs to this service. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { APPLICATION_ID } from './database.ts';
import { IN_MEMORY, type SqliteLocation } from './location.ts';

/** The timeout is short, because SQLite blocks the process during a wait for a lock. Callers try again. */
const BUSY_TIMEOUT_MS = 20;

/** Files above this size are not checked when opened, because the check takes 1.1 ms per megabyte. */
const CHECKED_BYTES_MAX = 1_073_741_824;

const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA foreign_keys = ON;
  PRAGMA recursive_triggers = ON; -- REPLACE fires the triggers of DELETE
  PRAGMA temp_store = MEMORY; -- a read-only container has no place for temporary files
  PRAGMA cache_size = -16384; -- in KiB; with half of this cache, searches in a file of 115 MB are slower
  -- When the log has 1,000 pages, SQLite copies the log into the database. With a longer log, writes would
  -- be cheaper, but each copy would pause the service for longer. The limit below is 8 MiB, or about 2,000
  -- pages. Without a limit, the log would never shrink after a burst of writes.
  PRAGMA journal_size_limit = 8388608;`;

/** @throws If the file is missing or damaged, or belongs to another program. */
export function openConnection({ path, synchronous = 'full' }: SqliteLocation): DatabaseSync {
  const file = pathToFileURL(path);
  file.search = 'mode=rw'; // otherwise, SQLite would create the file if it does not exist
  const connection = new DatabaseSync(path === IN_MEMORY ? path : file, { timeout: BUSY_TIMEOUT_MS });
  try {
    hasOwnTables(connection);
    if (path !== IN_MEMORY && statSync(path).size <= CHECKED_BYTES_MAX) {
      assertSound(connection);
    }
    connection.exec(`PRAGMA synchronous = ${synchronous}; ${SETTINGS}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @returns False for a database without tables. @throws If the file belongs to another program. */
export function hasOwnTables(connection: DatabaseSync): boolean {
  // One statement reads the id and counts the tables, so no program can create tables in between.
  const { owner, tables } = connection.prepare(`
    SELECT application_id AS owner, (SELECT count(*) FROM sqlite_schema) AS tables
    FROM pragma_application_id`).get() ?? {};
  if (owner !== APPLICATION_ID && (owner !== 0 || tables !== 0)) {
    throw new Error('it is a database of another program');
  }
  return owner === APPLICATION_ID;
}

/** Checks pages and tables. To save time, indexes are not compared with tables. */
export function assertSound(connection: DatabaseSync): void {
  const { quick_check: finding } = connection.prepare('PRAGMA quick_check(1)').get() ?? {};
  if (finding !== 'ok') {
    throw new Error(`it is damaged: ${String(finding).replaceAll('\n', ' ')}`);
  }
}
