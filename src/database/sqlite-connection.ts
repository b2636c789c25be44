/** Opens a connection to a SQLite file through `node:sqlite`, with the settings of this service. */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { IN_MEMORY } from './location.ts';
import { assertNotForeign } from './sqlite-files.ts';

/** How long SQLite waits for a lock: not long, because this blocks the whole process. Callers retry. */
const BUSY_TIMEOUT_MS = 20;

/**
 * The most memory for pages of the file. With the default of 2 MiB, each page that is not in memory costs a
 * system call. With a file of 115 MB, twice this size is no faster, and half of it makes searches slower.
 */
const CACHE_KIB_MAX = 16_384;

/**
 * The size of the write-ahead log at which a commit copies it into the file. A page that was written many
 * times is copied once, so a longer log makes writes cheaper. A shorter one makes the pauses shorter.
 */
const LOG_PAGES = 4_000;

/**
 * By default SQLite never shrinks its write-ahead log, so a burst would occupy the disk for ever. With a
 * limit, the first commit after the log was copied truncates it. The limit is twice LOG_PAGES, so ordinary
 * commits neither truncate nor extend the file.
 */
const LOG_BYTES_MAX = 33_554_432;

/** With `normal`, a power cut may lose the last writes; the end of the process alone never does. */
export type Synchronous = 'full' | 'normal';

/**
 * @param path - A file that exists, or `:memory:`.
 * @throws When the file is missing, cannot be opened, or is not a SQLite database of this service. It is busy
 *   when another process switches a new file to WAL at the same time: SQLite does not wait, since the two
 *   could wait for each other.
 */
export function openConnection(path: string, synchronous: Synchronous): DatabaseSync {
  const file = pathToFileURL(path);
  file.search = 'mode=rw'; // with a bare path, SQLite would replace a missing file by an empty database
  const connection = new DatabaseSync(path === IN_MEMORY ? path : file, { timeout: BUSY_TIMEOUT_MS });
  try {
    assertNotForeign(connection);
    // Temporary files stay in memory, because a read-only container has no place for them.
    connection.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB_MAX};
      PRAGMA wal_autocheckpoint = ${LOG_PAGES}; PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
