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
export const isBusy = (error: unknown) => hasCode(error, SQLITE_BUSY, SQLITE_PROTOCOL);

/** True when the file is damaged, or not a database. */
export const isDamaged = (error: unknown) => hasCode(error, SQLITE_CORRUPT, SQLITE_NOTADB);

/** @returns For an outage outside this process, an error of database.ts with its cause; else the error. */
export function toDatabaseError(cause: unknown): unknown {
  if (isBusy(cause)) {
    return new DatabaseLockedError('Another process has locked the database file', { cause });
  }
  if (hasCode(cause, SQLITE_FULL)) {
    return new DatabaseFullError('The disk has no space left for the database file', { cause });
  }
  return hasCode(cause, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN)
    ? new DatabaseUnavailableError('The database file cannot be read or written', { cause })
    : cause;
}

/** Compares the primary result code; the higher bytes extend it. */
function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof Error && 'errcode' in error && codes.includes(Number(error.errcode) & 0xff);
}
