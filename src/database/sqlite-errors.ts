/** Maps the result codes of SQLite (sqlite.org/rescode.html) to errors. */
import { DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError } from './database.ts';

/** True for SQLITE_BUSY, and for SQLITE_PROTOCOL (many attempts to take the lock have failed). */
export const isBusy = (error: unknown) => hasCode(error, 5, 15);

/** SQLITE_CORRUPT, SQLITE_NOTADB. */
export const isDamaged = (error: unknown) => hasCode(error, 11, 26);

/** @returns An error of a class in database.ts if `cause` is an outage; otherwise, `cause` itself. */
export function toDatabaseError(cause: unknown): unknown {
  if (isBusy(cause)) {
    return new DatabaseLockedError('Another process has locked the database file', { cause });
  }
  if (hasCode(cause, 13)) { // SQLITE_FULL
    return new DatabaseFullError('The disk has no space left for the database file', { cause });
  }
  return hasCode(cause, 8, 10, 14) // SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN
    ? new DatabaseUnavailableError('The database file cannot be read or written', { cause })
    : cause;
}

/** The lowest byte of a result code is the primary code. The higher bytes, which add details, are ignored. */
function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof Error && 'errcode' in error && codes.includes(Number(error.errcode) & 0xff);
}
