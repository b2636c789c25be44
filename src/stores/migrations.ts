/**
 * The tables, as a list of migrations that is only ever appended to. This header is the data dictionary of the last one.
 *
 * | table    | column        | holds |
 * |----------|---------------|-------|
 * | users    | id            | assigned once, never reused (AUTOINCREMENT) |
 * |          | username      | as it was written, NFC |
 * |          | username_key  | `toNameKey(username)`: unique, compared and searched |
 * |          | email         | an address, at most 254 characters |
 * |          | password_hash | PHC string, see auth/password.ts |
 * |          | is_admin      | 0 or 1 |
 * |          | date_created  | `Timestamp`, see model/clock.ts |
 * | projects | id            | assigned once, never reused |
 * |          | name          | as it was written, NFC |
 * |          | name_key      | `toNameKey(name)`: unique, compared and searched |
 * |          | description   | may be empty |
 * |          | owner_id      | users.id; a user who owns projects cannot be deleted |
 * |          | date_created  | `Timestamp` |
 * | tokens   | digest        | SHA-256 of the token in hexadecimal; the token itself is not stored |
 * |          | user_id       | users.id; deleted with the user |
 * |          | date_created  | `Timestamp` |
 * |          | expires_at    | `Timestamp`; the token is valid before it. A revoked token is a deleted row |
 */
import type { Migration } from '../database/migrate.ts';

export const migrations: readonly Migration[] = [
  [
    `CREATE TABLE users (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       username TEXT NOT NULL,
       username_key TEXT NOT NULL UNIQUE,
       email TEXT NOT NULL,
       password_hash TEXT NOT NULL,
       is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
       date_created TEXT NOT NULL
     ) STRICT`,
    `CREATE TABLE projects (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       name TEXT NOT NULL,
       name_key TEXT NOT NULL UNIQUE,
       description TEXT NOT NULL,
       owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
       date_created TEXT NOT NULL
     ) STRICT`,
    'CREATE INDEX projects_by_owner ON projects (owner_id)',
    `CREATE TABLE tokens (
       digest TEXT PRIMARY KEY,
       user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       date_created TEXT NOT NULL,
       expires_at TEXT NOT NULL
     ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX tokens_by_user ON tokens (user_id)',
    'CREATE INDEX tokens_by_expiry ON tokens (expires_at)',
  ],
];
