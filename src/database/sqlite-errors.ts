/** Maps the result codes of SQLite (sqlite.org/rescode.html) to errors. Messages are never parsed. */
import { DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError } from './database.ts';

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
const SQLITE_NOTADB = 26;

/** True when another process holds the lock, or took it first in each of many attempts. */
export function isBusy(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === SQLITE_BUSY || code === SQLITE_PROTOCOL;
}

/** True when the file is damaged, or not a database. */
export function isDamaged(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/**
 * @returns For an outage outside this process, an error of database.ts with the given error as its cause. Any
 *   other error is returned unchanged.
 */
export function toDatabaseError(error: unknown): unknown {
  switch (resultCodeOf(error)) {
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:
      return new DatabaseLockedError('Another process holds the lock of the file', { cause: error });
    case SQLITE_FULL:
      return new DatabaseFullError('There is no space left for the file', { cause: error });
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return new DatabaseUnavailableError('The file cannot be read or written', { cause: error });
    default:
      return error;
  }
}

/** The primary result code; the higher bytes extend it. */
function resultCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}
