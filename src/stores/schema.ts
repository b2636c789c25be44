/**
 * The tables, and the data dictionary. A start upgrades the tables of earlier versions, see upgrades.ts.
 *
 * | table          | column           | holds |
 * |----------------|------------------|-------|
 * | users          | id               | assigned once, never reused (AUTOINCREMENT) |
 * |                | username         | as it was written, NFC |
 * |                | username_key     | `toNameKey(username)`: unique, compared and searched |
 * |                | email            | an address, at most 254 characters |
 * |                | password_version | counts the passwords that the user has had |
 * |                | is_admin         | 0 or 1 |
 * |                | disabled         | 0 or 1; 1 is a user who cannot sign in |
 * |                | version          | counts the changes of the user, from 1, new passwords included |
 * |                | date_created     | `Timestamp`, see model/clock.ts |
 * |                | project_count    | the number of projects that the user owns; maintained by triggers |
 * |                | summary          | generated: the user as the owner of a project, JSON |
 * |                | marked_key       | generated when it is read: `username_key` between two marks |
 * |                | password_hash    | PHC string, see auth/password.ts |
 * |                | head             | generated: the user as JSON, up to the number of the projects |
 * |                | listed_projects  | the first projects as lists show them, JSON without brackets; |
 * |                |                  | maintained by triggers, see representations.ts |
 * | projects       | id               | assigned once, never reused |
 * |                | name             | as it was written, NFC |
 * |                | name_key         | `toNameKey(name)`: unique, compared and searched |
 * |                | description      | may be empty |
 * |                | owner_id         | users.id; a user who still owns projects cannot be deleted |
 * |                | version          | counts the changes of the row, from 1 |
 * |                | date_created     | `Timestamp` |
 * |                | head             | generated when it is read: the project as JSON, up to its owner |
 * | tokens         | id               | assigned once, never reused |
 * |                | digest           | SHA-256 of the token in hexadecimal; the token itself is not stored |
 * |                | user_id          | users.id; deleted with the user |
 * |                | name             | the name that its owner chose, NFC; may be empty |
 * |                | last_four        | the last four characters of the token; |
 * |                |                  | empty for a token that is older than this column |
 * |                | scope            | `TokenScope`, see model/token.ts |
 * |                | date_created     | `Timestamp` |
 * |                | expires_at       | `Timestamp`; the token is valid before it |
 * |                | last_used        | `Timestamp`, exact to a minute, or NULL when it has not been used |
 * |                | revoked_at       | `Timestamp`, or NULL while it has not been revoked |
 * |                | parent_id        | tokens.id of the token that issued it, or NULL; may be gone |
 * |                | maker_id         | users.id of the administrator who made a password link, or NULL; |
 * |                |                  | deleted with the maker |
 * |                | audience         | the programs that the token is for, or NULL if it is for all |
 * |                | expiry_key       | generated when it is read: sorts tokens by expiry, then by id |
 * | audit_events   | id               | assigned once, in the order of the changes |
 * |                | occurred_at      | `Timestamp` |
 * |                | action           | see model/audit.ts |
 * |                | resource_type    | `user`, `project`, `token`, or `service` for anything else |
 * |                | resource_id      | its id, or NULL for `service`; the resource may be gone |
 * |                | resource_name    | its name at that time, cut off if it is long; may be empty |
 * |                | details          | what changed, in words; never a secret; may be empty |
 * |                | user_id          | who did it, or NULL without a sign-in; the user may be gone |
 * |                | username         | their name at that time, or NULL |
 * |                | sign_in          | `password`, `token`, `none`, or `program` for an operator's command |
 * |                | token_id         | tokens.id of the token used to sign in, or NULL; may be gone |
 * |                | request_id       | as in the log and in the response; empty without a request |
 * |                | address          | of the client (failed sign-ins: IPv6 /64); may be empty |
 * | audit_removal  | before           | events before this `Timestamp` may be deleted; mostly empty |
 * | deletions      | user_id          | users.id of a user whose deletion has begun; deleted with the user |
 * |                | new_owner_id     | users.id of the receiver of the projects, or NULL to delete them |
 * | refusal        | number           | a row for each number up to that of the guard which refuses the |
 * |                |                  | change; empty outside a transaction, see guards.ts |
 * | row_counts     | users, projects  | one row: the number of rows of each table; maintained by triggers |
 * | users_search   | marked_key       | full-text index over this column, of every three consecutive |
 * |                |                  | characters; maintained by triggers, see search.ts |
 *
 * Rows of audit_events are only ever added: triggers refuse UPDATE, DELETE, and an INSERT with an existing
 * id, because INSERT OR REPLACE deletes without the trigger of DELETE (sqlite.org/lang_conflict.html). Only
 * the batch that removes expired events may delete: it fills and empties audit_removal within its
 * transaction, so no other transaction sees a row there. This protects the trail against mistakes and
 * injected SQL, not against the operator.
 *
 * SQLite computes generated JSON, so it cannot differ from its columns; see representations.ts. The owner of
 * a project is joined when it is read, so changing an email address writes one row of `users`, whatever the
 * user owns. The JSON of a project is not stored, because it would hold the description a second time.
 *
 * The long columns of `users` come last, so that quotas and lists of projects need not read past them.
 */
import type { Schema } from '../database/create-schema.ts';
import {
  EXPIRY_KEY, LISTED_BYTES_MAX, LISTED_PROJECTS, PROJECT_HEAD, USER_HEAD, USER_SUMMARY,
} from './representations.ts';
import { toMarked } from './search.ts';
import { steps } from './upgrades.ts';

/** An index of the trigrams of usernames, and the statements of the triggers that maintain it. */
const SEARCH = {
  index: `CREATE VIRTUAL TABLE users_search USING fts5 (
     marked_key, content = 'users', content_rowid = 'id',
     detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
   )`,
  insert: 'INSERT INTO users_search (rowid, marked_key) VALUES (new.id, new.marked_key)',
  delete: `INSERT INTO users_search (users_search, rowid, marked_key)
     VALUES ('delete', old.id, old.marked_key)`,
};

/** A statement in triggers: writes the row of a user once, after a change of the user's projects. */
const renewProjects = (user: string, count: string, listed = LISTED_PROJECTS) => `
     UPDATE users SET project_count = ${count}, listed_projects = ${listed} WHERE id = ${user}`;

/**
 * An expression on the owner of a new project, which has the highest id: it comes after the others if all of
 * them are listed and it fits. Computing the list takes a sixth of the time of an insertion.
 */
const AFTER_INSERTION = `iif(
         octet_length(listed_projects) + octet_length(new.head) + octet_length(summary) + 2
             + (project_count > 0) < ${LISTED_BYTES_MAX}
           AND json_array_length('[' || listed_projects || ']') = project_count,
         concat(listed_projects, iif(project_count > 0, ',', ''), new.head, summary, '}'),
         listed_projects)`;

const USERS = [
  `CREATE TABLE users (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     username TEXT NOT NULL,
     username_key TEXT NOT NULL UNIQUE,
     email TEXT NOT NULL,
     password_version INTEGER NOT NULL DEFAULT 1,
     is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
     disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
     version INTEGER NOT NULL DEFAULT 1,
     date_created TEXT NOT NULL,
     project_count INTEGER NOT NULL DEFAULT 0,
     summary TEXT NOT NULL AS (${USER_SUMMARY}) STORED,
     marked_key TEXT NOT NULL AS (${toMarked('username_key')}),
     password_hash TEXT NOT NULL,
     head TEXT NOT NULL AS (${USER_HEAD}) STORED,
     listed_projects TEXT NOT NULL DEFAULT ''
   ) STRICT`,
  'CREATE INDEX users_by_id ON users (id, username_key, is_admin, disabled)',
  'CREATE INDEX users_by_name ON users (username_key, is_admin, disabled)',
  'CREATE INDEX administrators ON users (id, disabled) WHERE is_admin = 1',
  'CREATE INDEX disabled_users ON users (id, is_admin) WHERE disabled = 1',
  "CREATE INDEX invited_users ON users (id) WHERE password_hash = ''",
  `CREATE TABLE deletions (
     user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
     new_owner_id INTEGER
   ) STRICT`,
  'CREATE TABLE row_counts (users INTEGER NOT NULL, projects INTEGER NOT NULL) STRICT',
  'INSERT INTO row_counts VALUES (0, 0)',
  SEARCH.index,
  // POST /api/v1/users, and the creation of the first administrator
  `CREATE TRIGGER users_inserted AFTER INSERT ON users BEGIN
     UPDATE row_counts SET users = users + 1;
     ${SEARCH.insert};
   END`,
  // DELETE /api/v1/users/{username_or_id}
  `CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
     UPDATE row_counts SET users = users - 1;
     ${SEARCH.delete};
   END`,
  // PATCH /api/v1/users/{username_or_id} with another `username`
  `CREATE TRIGGER users_renamed AFTER UPDATE OF username_key ON users
   WHEN old.username_key <> new.username_key BEGIN
     ${SEARCH.delete};
     ${SEARCH.insert};
   END`,
  // PATCH /api/v1/users/{username_or_id} with `username` or `email`
  `CREATE TRIGGER users_summary_changed AFTER UPDATE OF username, email ON users
   WHEN old.username <> new.username OR old.email <> new.email BEGIN
     ${renewProjects('new.id', 'project_count')};
   END`,
];

const PROJECTS = [
  `CREATE TABLE projects (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     name_key TEXT NOT NULL UNIQUE,
     owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
     version INTEGER NOT NULL DEFAULT 1,
     date_created TEXT NOT NULL,
     description TEXT NOT NULL,
     head TEXT NOT NULL AS (${PROJECT_HEAD})
   ) STRICT`,
  'CREATE INDEX projects_by_owner ON projects (owner_id)',
  'CREATE INDEX projects_by_id ON projects (id, name_key)',
  // POST /api/v1/projects
  `CREATE TRIGGER projects_inserted AFTER INSERT ON projects BEGIN
     UPDATE row_counts SET projects = projects + 1;
     ${renewProjects('new.owner_id', 'project_count + 1', AFTER_INSERTION)};
   END`,
  // DELETE of a project, or of a user with `owned_projects=delete`
  `CREATE TRIGGER projects_deleted AFTER DELETE ON projects BEGIN
     UPDATE row_counts SET projects = projects - 1;
     ${renewProjects('old.owner_id', 'project_count - 1')};
   END`,
  // PATCH /api/v1/projects/{project_name_or_id} with `name` or `description`
  `CREATE TRIGGER projects_changed AFTER UPDATE OF name, description ON projects
   WHEN old.owner_id = new.owner_id BEGIN
     ${renewProjects('new.owner_id', 'project_count')};
   END`,
  // PATCH of a project with `owner`, or DELETE of a user with `owned_projects=transfer`
  `CREATE TRIGGER projects_transferred AFTER UPDATE OF owner_id ON projects
   WHEN old.owner_id <> new.owner_id BEGIN
     ${renewProjects('old.owner_id', 'project_count - 1')};
     ${renewProjects('new.owner_id', 'project_count + 1')};
   END`,
];

const TOKENS = [
  `CREATE TABLE tokens (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     digest TEXT NOT NULL UNIQUE,
     user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
     name TEXT NOT NULL,
     last_four TEXT NOT NULL,
     scope TEXT NOT NULL,
     date_created TEXT NOT NULL,
     expires_at TEXT NOT NULL,
     last_used TEXT,
     revoked_at TEXT,
     parent_id INTEGER,
     maker_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
     audience TEXT,
     expiry_key TEXT NOT NULL AS (${EXPIRY_KEY})
   ) STRICT`,
  'CREATE INDEX tokens_by_user ON tokens (user_id)',
  'CREATE INDEX live_tokens ON tokens (user_id, expires_at) WHERE revoked_at IS NULL',
  'CREATE INDEX live_tokens_by_id ON tokens (id, expires_at) WHERE revoked_at IS NULL',
  'CREATE INDEX live_tokens_by_expiry ON tokens (expiry_key) WHERE revoked_at IS NULL',
  'CREATE INDEX live_tokens_by_last_four ON tokens (last_four) WHERE revoked_at IS NULL',
  'CREATE INDEX tokens_by_expiry ON tokens (expires_at)',
  'CREATE INDEX tokens_by_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL',
  'CREATE INDEX links_by_maker ON tokens (maker_id) WHERE maker_id IS NOT NULL',
  'CREATE INDEX tokens_by_revocation ON tokens (revoked_at) WHERE revoked_at IS NOT NULL',
  'CREATE INDEX revoked_tokens ON tokens (user_id, revoked_at) WHERE revoked_at IS NOT NULL',
];

const AUDIT_EVENTS = [
  `CREATE TABLE audit_events (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     occurred_at TEXT NOT NULL,
     action TEXT NOT NULL,
     resource_type TEXT NOT NULL,
     resource_id INTEGER,
     resource_name TEXT NOT NULL,
     details TEXT NOT NULL,
     user_id INTEGER,
     username TEXT,
     sign_in TEXT NOT NULL CHECK (sign_in IN ('password', 'token', 'none', 'program')),
     token_id INTEGER,
     request_id TEXT NOT NULL,
     address TEXT NOT NULL
   ) STRICT`,
  'CREATE INDEX audit_events_by_time ON audit_events (occurred_at)',
  'CREATE INDEX audit_events_by_action ON audit_events (action)',
  'CREATE INDEX audit_events_by_user ON audit_events (user_id)',
  'CREATE TABLE audit_removal (before TEXT NOT NULL) STRICT',
  "CREATE INDEX audit_events_about_user ON audit_events (resource_id) WHERE resource_type = 'user'",
  // no request: housekeeping deletes expired events, and this refuses every other deletion
  `CREATE TRIGGER audit_events_stay BEFORE DELETE ON audit_events
   WHEN NOT EXISTS (SELECT 1 FROM audit_removal WHERE old.occurred_at < before)
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be deleted'); END`,
  // no request: this refuses every change of an event
  `CREATE TRIGGER audit_events_stay_as_they_are BEFORE UPDATE ON audit_events
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be changed'); END`,
  // every request that changes something; `new.id` is -1 until SQLite assigns the id
  `CREATE TRIGGER audit_events_are_not_replaced BEFORE INSERT ON audit_events
   WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = new.id)
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be replaced'); END`,
];

const REFUSAL = 'CREATE TABLE refusal (number INTEGER PRIMARY KEY) STRICT';

export const schema: Schema = {
  version: 7,
  statements: [REFUSAL, ...USERS, ...PROJECTS, ...TOKENS, ...AUDIT_EVENTS],
  steps,
};
