/**
 * The tables and triggers, which the service creates in an empty database. The tables are:
 *
 *     users ─┬─< projects        owner_id
 *            ├─< tokens          user_id, and maker_id of a password link
 *            ├── deletions       a user whose deletion has begun
 *            └── users_search    trigrams of the names
 *     audit_events               refer to no other table, because events outlive users
 *     row_counts                 the numbers of users and projects, maintained by triggers
 *     refusal, audit_removal     empty outside a transaction.
 *
 * The id of a deleted row is never used again (AUTOINCREMENT). The key of a name is `toNameKey(name)`. SQLite
 * reads a row from the first column to the last column that a query needs. Few queries need the long columns
 * of `users`, so these columns come last.
 *
 * Triggers refuse every UPDATE and DELETE of audit events, with one exception: after a transaction has
 * inserted a row into audit_removal, the transaction can delete expired events. The triggers protect the
 * audit trail against mistakes and injected SQL, not against the operator.
 */
import { APPLICATION_ID, raw, type Consistency, type Database } from '../database/database.ts';
import {
  EXPIRY_KEY, LISTED_BYTES_MAX, LISTED_PROJECTS, PROJECT_HEAD, USER_HEAD, USER_SUMMARY,
} from './representations.ts';

/** The file extras/data/upgrade-steps.ts changes the tables of earlier versions. */
export const SCHEMA_VERSION = 8;

const INSERT_NAME = 'INSERT INTO users_search (rowid, marked_key) VALUES (new.id, new.marked_key)';
const DELETE_NAME = `INSERT INTO users_search (users_search, rowid, marked_key)
     VALUES ('delete', old.id, old.marked_key)`;

const renewProjects = (user: string, count: string, listed = LISTED_PROJECTS) => `
     UPDATE users SET project_count = ${count}, listed_projects = ${listed} WHERE id = ${user}`;

/**
 * Appends a new project to the stored list of the owner's projects, if the list is complete and has room.
 * If SQLite computed the whole list again, the insertion of a project would take 17 % longer.
 */
const AFTER_INSERTION = `iif(
         octet_length(listed_projects) + octet_length(new.head) + octet_length(summary) + 2
             + (project_count > 0) < ${LISTED_BYTES_MAX}
           AND json_array_length('[' || listed_projects || ']') = project_count,
         concat(listed_projects, iif(project_count > 0, ',', ''), new.head, summary, '}'),
         listed_projects)`;

/** Creates all tables. Comments are removed, because ALTER TABLE treats a comment as part of a column. */
export const STATEMENTS = [
  `CREATE TABLE users (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     username TEXT NOT NULL,
     username_key TEXT NOT NULL UNIQUE,
     email TEXT NOT NULL,
     password_version INTEGER NOT NULL DEFAULT 1, -- counts the passwords that the user has had
     is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
     disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)), -- 1: cannot sign in
     version INTEGER NOT NULL DEFAULT 1, -- counts the changes of the user, also of the password
     date_created TEXT NOT NULL,
     project_count INTEGER NOT NULL DEFAULT 0, -- maintained by triggers
     summary TEXT NOT NULL AS (${USER_SUMMARY}) STORED, -- the user as the owner of a project, JSON
     marked_key TEXT NOT NULL AS (char(2) || username_key || char(3)),
     password_hash TEXT NOT NULL, -- PHC string, see auth/password.ts; empty for an invited user
     head TEXT NOT NULL AS (${USER_HEAD}) STORED, -- the user as JSON, up to the number of projects
     listed_projects TEXT NOT NULL DEFAULT '' -- JSON without brackets, see representations.ts
   ) STRICT`,
  // These indexes contain all columns that the filters of lists need, so SQLite does not read the table.
  'CREATE INDEX users_by_id ON users (id, username_key, is_admin, disabled)',
  'CREATE INDEX users_by_name ON users (username_key, is_admin, disabled)',
  'CREATE INDEX administrators ON users (id, disabled) WHERE is_admin = 1',
  'CREATE INDEX disabled_users ON users (id, is_admin) WHERE disabled = 1',
  "CREATE INDEX invited_users ON users (id) WHERE password_hash = ''",
  `CREATE TABLE deletions (
     user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
     new_owner_id INTEGER -- users.id of the receiver of the projects, or NULL to delete them
   ) STRICT`,
  'CREATE TABLE refusal (number INTEGER PRIMARY KEY) STRICT', // guards.ts explains this table
  'CREATE TABLE row_counts (users INTEGER NOT NULL, projects INTEGER NOT NULL) STRICT',
  'INSERT INTO row_counts VALUES (0, 0)',
  `CREATE VIRTUAL TABLE users_search USING fts5 (
     marked_key, content = 'users', content_rowid = 'id',
     detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
   )`,
  // Fires at `POST /api/v1/users`.
  `CREATE TRIGGER users_inserted AFTER INSERT ON users BEGIN
     UPDATE row_counts SET users = users + 1;
     ${INSERT_NAME};
   END`,
  // Fires at the end of `DELETE /api/v1/users/{username_or_id}`.
  `CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
     UPDATE row_counts SET users = users - 1;
     ${DELETE_NAME};
   END`,
  // Fires when a PATCH gives a user a new username.
  `CREATE TRIGGER users_renamed AFTER UPDATE OF username_key ON users
   WHEN old.username_key <> new.username_key BEGIN
     ${DELETE_NAME};
     ${INSERT_NAME};
   END`,
  // Fires when a PATCH gives a user a new username or email address.
  `CREATE TRIGGER users_summary_changed AFTER UPDATE OF username, email ON users
   WHEN old.username <> new.username OR old.email <> new.email BEGIN
     ${renewProjects('new.id', 'project_count')};
   END`,

  `CREATE TABLE projects (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     name_key TEXT NOT NULL UNIQUE,
     owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
     version INTEGER NOT NULL DEFAULT 1, -- counts the changes of the row
     date_created TEXT NOT NULL,
     description TEXT NOT NULL,
     head TEXT NOT NULL AS (${PROJECT_HEAD}) -- the project as JSON, up to the owner; not stored
   ) STRICT`,
  'CREATE INDEX projects_by_owner ON projects (owner_id)',
  'CREATE INDEX projects_by_id ON projects (id, name_key)',
  // Fires at `POST /api/v1/projects`.
  `CREATE TRIGGER projects_inserted AFTER INSERT ON projects BEGIN
     UPDATE row_counts SET projects = projects + 1;
     ${renewProjects('new.owner_id', 'project_count + 1', AFTER_INSERTION)};
   END`,
  // Fires when a project is deleted, alone or together with its owner (`owned_projects=delete`).
  `CREATE TRIGGER projects_deleted AFTER DELETE ON projects BEGIN
     UPDATE row_counts SET projects = projects - 1;
     ${renewProjects('old.owner_id', 'project_count - 1')};
   END`,
  // Fires when a PATCH gives a project a new name or description.
  `CREATE TRIGGER projects_changed AFTER UPDATE OF name, description ON projects
   WHEN old.owner_id = new.owner_id BEGIN
     ${renewProjects('new.owner_id', 'project_count')};
   END`,
  // Fires when a PATCH, or a deletion with `owned_projects=transfer`, gives a project a new owner.
  `CREATE TRIGGER projects_transferred AFTER UPDATE OF owner_id ON projects
   WHEN old.owner_id <> new.owner_id BEGIN
     ${renewProjects('old.owner_id', 'project_count - 1')};
     ${renewProjects('new.owner_id', 'project_count + 1')};
   END`,

  `CREATE TABLE tokens (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     digest TEXT NOT NULL UNIQUE, -- SHA-256 of the token in hexadecimal; the token itself is not stored
     user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
     name TEXT NOT NULL, -- may be empty
     last_four TEXT NOT NULL, -- of the token; empty for tokens that are older than this column
     scope TEXT NOT NULL, -- see model/token.ts
     date_created TEXT NOT NULL,
     expires_at TEXT NOT NULL, -- the token is valid before this time
     last_used TEXT, -- exact to a minute
     parent_id INTEGER, -- tokens.id of the token that issued it; may be gone
     maker_id INTEGER REFERENCES users (id) ON DELETE CASCADE, -- who made the password link
     audience TEXT, -- JSON list of the hosts that accept the token; NULL if all hosts accept it
     expiry_key TEXT NOT NULL AS (${EXPIRY_KEY})
   ) STRICT`,
  'CREATE INDEX tokens_by_user ON tokens (user_id, expires_at)',
  'CREATE INDEX tokens_by_expiry ON tokens (expiry_key)',
  'CREATE INDEX tokens_by_last_four ON tokens (last_four)',
  'CREATE INDEX tokens_by_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL',
  'CREATE INDEX links_by_maker ON tokens (maker_id) WHERE maker_id IS NOT NULL',

  `CREATE TABLE audit_events (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     occurred_at TEXT NOT NULL,
     action TEXT NOT NULL, -- see model/audit.ts
     resource_type TEXT NOT NULL, -- user, project, token, or service for anything else
     resource_id INTEGER, -- may be gone; NULL for service
     resource_name TEXT NOT NULL, -- the name at that time, cut off if it is long; may be empty
     details TEXT NOT NULL, -- what changed, in words; never a secret; may be empty
     user_id INTEGER, -- who did it; may be gone; NULL without a sign-in
     username TEXT, -- of user_id at that time
     sign_in TEXT NOT NULL CHECK (sign_in IN ('password', 'token', 'none', 'program')),
     token_id INTEGER, -- tokens.id of the token used to sign in; may be gone
     request_id TEXT NOT NULL, -- as in the log; empty without a request
     address TEXT NOT NULL -- of the client (failed sign-ins: IPv6 /64); may be empty
   ) STRICT`,
  'CREATE INDEX audit_events_by_time ON audit_events (occurred_at)',
  'CREATE INDEX audit_events_by_action ON audit_events (action)',
  'CREATE INDEX audit_events_by_user ON audit_events (user_id)',
  'CREATE TABLE audit_removal (before TEXT NOT NULL) STRICT',
  "CREATE INDEX audit_events_about_user ON audit_events (resource_id) WHERE resource_type = 'user'",
  // Only housekeeping deletes events, and only events that have expired.
  `CREATE TRIGGER audit_events_stay BEFORE DELETE ON audit_events
   WHEN NOT EXISTS (SELECT 1 FROM audit_removal WHERE old.occurred_at < before)
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be deleted'); END`,
  // No request changes events.
  `CREATE TRIGGER audit_events_stay_as_they_are BEFORE UPDATE ON audit_events
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be changed'); END`,

  // Programs with the schema version 5 or 6 read this view, and therefore refuse the newer schema.
  'CREATE VIEW schema_version AS SELECT user_version AS version FROM pragma_user_version',
  // These statements change the header of the database file, as part of the transaction.
  `PRAGMA application_id = ${APPLICATION_ID}`,
  `PRAGMA user_version = ${SCHEMA_VERSION}`,
].map((statement) => statement.replaceAll(/ -- .*/g, ''));

/**
 * In a database file, `recursive_triggers` is on, so INSERT OR REPLACE fires the trigger of DELETE
 * (sqlite.org/lang_conflict.html). On a cluster, `recursive_triggers` is off, so this trigger refuses every
 * INSERT with an existing id. Files lack this trigger, because it makes the creation of a project 3 % slower.
 * The value of `new.id` is -1 until SQLite assigns an id to the event.
 */
const AGAINST_REPLACING = `CREATE TRIGGER IF NOT EXISTS audit_events_are_not_replaced
   BEFORE INSERT ON audit_events
   WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = new.id)
   BEGIN SELECT RAISE(ABORT, 'Audit events cannot be replaced'); END`;

/**
 * Creates the tables of an empty database, in one atomic batch. If several programs start together, the batch
 * of one program succeeds, and the other batches fail as a whole.
 *
 * @param planUpgrade - Returns the statements that upgrade the tables of the version `from`.
 * @returns The version that the database had; 0 if it had no tables.
 */
export async function createSchema(
  database: Database, planUpgrade: (from: number) => readonly string[] = refuseVersion,
): Promise<number> {
  const from = await readSchemaVersion(database);
  const changes = from === 0 ? STATEMENTS : from === SCHEMA_VERSION ? [] : planUpgrade(from);
  const [{ isSafe } = {}] =
    await database.read(raw('SELECT recursive_triggers AS isSafe FROM pragma_recursive_triggers'));
  const batch = isSafe === 1 ? changes : [...changes, AGAINST_REPLACING];
  try {
    if (batch.length > 0) {
      await database.write(batch.map(raw));
    }
    return from;
  } catch (error) {
    if (await readSchemaVersion(database) === SCHEMA_VERSION) {
      return SCHEMA_VERSION; // another program has just made the tables
    }
    const action = from === 0 ? 'create' : 'upgrade';
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot ${action} the tables of the database: ${reason}`, { cause: error });
  }
}

export function refuseVersion(found: number): never {
  const advice = found > SCHEMA_VERSION ? 'run a newer version' : 'run the version that made the database';
  throw new Error(
    `The database has schema version ${found}, but this program needs ${SCHEMA_VERSION}: ${advice}`,
  );
}

/** @returns The version of the tables; 0 if the database has no tables yet. */
export async function readSchemaVersion(database: Pick<Database, 'read'>, consistency?: Consistency) {
  const ask = (sql: string) => database.read(raw(sql), consistency);
  const [known] = await ask("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'");
  const [row] = known === undefined ? [] : await ask('SELECT max(version) AS version FROM schema_version');
  return Number(row?.['version'] ?? 0);
}
