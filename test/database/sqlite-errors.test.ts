import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError,
} from '../../src/database/database.ts';
import { isBusy, toDatabaseError } from '../../src/database/sqlite-errors.ts';

for (const [name, errcode, expected] of [
  ['SQLITE_BUSY', 5, DatabaseLockedError],
  ['SQLITE_BUSY_SNAPSHOT', 5 | (2 << 8), DatabaseLockedError],
  ['SQLITE_PROTOCOL', 15, DatabaseLockedError],
  ['SQLITE_FULL', 13, DatabaseFullError],
  ['SQLITE_READONLY', 8, DatabaseUnavailableError],
  ['SQLITE_READONLY_DBMOVED', 8 | (4 << 8), DatabaseUnavailableError],
  ['SQLITE_IOERR_WRITE', 10 | (3 << 8), DatabaseUnavailableError],
  ['SQLITE_IOERR_FSYNC', 10 | (4 << 8), DatabaseUnavailableError],
  ['SQLITE_CANTOPEN', 14, DatabaseUnavailableError],
  ['SQLITE_ERROR', 1, undefined],
  ['SQLITE_CORRUPT', 11, undefined],
  ['SQLITE_CONSTRAINT_UNIQUE', 19 | (8 << 8), undefined],
] as const) {
  test(`${name} is ${expected?.name ?? 'no outage, and stays unchanged'}`, () => {
    const error = Object.assign(new Error('some text'), { errcode }); // `node:sqlite` errors have `errcode`
    const converted = toDatabaseError(error);
    assert.equal(converted instanceof Error && converted.cause, expected && error);
    assert.ok(expected === undefined ? converted === error : converted instanceof expected);
    assert.equal(isBusy(error), expected === DatabaseLockedError);
  });
}

test('an error that is not from SQLite stays unchanged', () => {
  for (const thrown of [new Error('database is locked'), undefined, 5, { errcode: 5 }]) {
    assert.equal(toDatabaseError(thrown), thrown);
  }
});
