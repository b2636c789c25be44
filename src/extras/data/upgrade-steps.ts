/**
 * The steps that upgrade the tables of earlier versions. Never edit a step that was released: add a new step.
 * The steps use the current SQL of representations.ts, so a new column immediately has its final form. Before
 * the first step, the triggers of schema.ts are dropped. After the last step, the triggers and the missing
 * indexes are created from schema.ts.
 */
import type { Database } from '../../database/database.ts';
import { EXPIRY_KEY, LISTED_PROJECTS, PROJECT_HEAD } from '../../stores/representations.ts';
import {
  createSchema, readSchemaVersion, refuseVersion, SCHEMA_VERSION, STATEMENTS,
} from '../../stores/schema.ts';
import type { Log } from '../../telemetry/log.ts';

/**
 * The key of each step is the schema version after the step. No statement contains a semicolon. A step must
 * fail if it runs again.
 */
const STEPS: Readonly<Record<number, string>> = {
  6: `
  -- Totals: one row replaces a count for each block of ids.
  DROP TRIGGER users_reclassified;
  DROP TABLE user_blocks;
  DROP TABLE project_blocks;
  CREATE TABLE row_counts (users INTEGER NOT NULL, projects INTEGER NOT NULL) STRICT;
  INSERT INTO row_counts SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM projects);

  -- Searches: trigrams of the whole name replace its parts.
  DROP TABLE users_search;
  DROP INDEX administrators_by_name;
  DROP INDEX disabled_users_by_name;
  DROP INDEX projects_by_id;
  ALTER TABLE users DROP COLUMN username_grams;
  ALTER TABLE users ADD COLUMN marked_key TEXT NOT NULL AS (char(2) || username_key || char(3));
  CREATE VIRTUAL TABLE users_search USING fts5 (
    marked_key, content = 'users', content_rowid = 'id',
    detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
  );
  INSERT INTO users_search (users_search) VALUES ('rebuild');

  -- Lists: they show the first projects of each user, even if the other projects are long.
  ALTER TABLE users DROP COLUMN project_bytes;
  ALTER TABLE users DROP COLUMN short_projects;
  ALTER TABLE users ADD COLUMN listed_projects TEXT NOT NULL DEFAULT '';
  UPDATE users SET listed_projects = ${LISTED_PROJECTS} WHERE project_count > 0;

  -- The audit trail is searched by the id of a user.
  DROP INDEX audit_events_by_user;
  ALTER TABLE audit_events DROP COLUMN username_key`,

  7: `
  -- The version is in the header of the file.
  DROP TABLE schema_version;
  CREATE VIEW schema_version AS SELECT user_version AS version FROM pragma_user_version;

  -- Callers are no longer cached. Former names and the days of registrations are no longer counted.
  DROP TRIGGER IF EXISTS credentials_of_users_changed;
  DROP TRIGGER IF EXISTS credentials_of_users_deleted;
  DROP TABLE credential_changes;
  DROP TRIGGER IF EXISTS users_named;
  DROP TRIGGER IF EXISTS users_named_again;
  DROP TABLE IF EXISTS user_names;
  DROP TABLE IF EXISTS registrations;

  -- Renewable tokens live until they expire. A password link has a maker, and a token may have an audience.
  -- SQLite cannot drop the CHECK of the scope, so the rows move to a new table.
  CREATE TABLE tokens_7 (
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
  ) STRICT;
  INSERT INTO sqlite_sequence (name, seq) SELECT 'tokens_7', seq FROM sqlite_sequence WHERE name = 'tokens';
  INSERT INTO tokens_7
    SELECT id, digest, user_id, name, last_four, scope, date_created, expires_at, last_used, revoked_at,
      parent_id, (
      SELECT users.id FROM audit_events JOIN users ON users.id = audit_events.user_id
      WHERE tokens.scope = 'set_password' AND resource_type = 'user' AND resource_id = tokens.user_id
        AND action = 'user.password_link' AND occurred_at = tokens.date_created
    ), NULL
    FROM tokens;
  DROP TABLE tokens;
  ALTER TABLE tokens_7 RENAME TO tokens;

  CREATE TABLE deletions (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    new_owner_id INTEGER
  ) STRICT;
  CREATE TABLE refusal (number INTEGER PRIMARY KEY) STRICT;

  -- Projects: the description is stored once.
  ALTER TABLE projects DROP COLUMN head;
  ALTER TABLE projects ADD COLUMN head TEXT NOT NULL AS (${PROJECT_HEAD})`,

  8: `
  -- A revoked token has no row.
  DROP INDEX IF EXISTS tokens_by_user;
  DROP INDEX IF EXISTS tokens_by_expiry;
  DROP INDEX IF EXISTS tokens_by_revocation;
  DROP INDEX IF EXISTS revoked_tokens;
  DROP INDEX IF EXISTS live_tokens;
  DROP INDEX IF EXISTS live_tokens_by_id;
  DROP INDEX IF EXISTS live_tokens_by_expiry;
  DROP INDEX IF EXISTS live_tokens_by_last_four;
  DELETE FROM tokens WHERE revoked_at IS NOT NULL;
  ALTER TABLE tokens DROP COLUMN revoked_at;

  -- If the receiver of projects is gone, the deletion stops. The other projects stay with the disabled user.
  DELETE FROM deletions WHERE new_owner_id IS NOT NULL AND new_owner_id NOT IN (SELECT id FROM users);

  -- In a file, the trigger of DELETE protects the audit trail against INSERT OR REPLACE, too.
  DROP TRIGGER IF EXISTS audit_events_are_not_replaced`,
};

export function needsUpgrade(version: number): boolean {
  return version > 0 && version < SCHEMA_VERSION;
}

/** @throws Error if the tables cannot be upgraded. */
export function planUpgrade(from: number): readonly string[] {
  if (from !== SCHEMA_VERSION && STEPS[from + 1] === undefined) {
    refuseVersion(from);
  }
  const those = (start: string) => STATEMENTS.filter((statement) => statement.startsWith(start));
  return [
    ...those('CREATE TRIGGER').map((statement) => `DROP TRIGGER IF EXISTS ${statement.split(' ')[2]}`),
    ...Object.entries(STEPS).flatMap(([made, step]) => (Number(made) > from ? step.split(';') : [])),
    ...those('CREATE INDEX').map((statement) => statement.replace('INDEX', 'INDEX IF NOT EXISTS')),
    ...those('CREATE TRIGGER'),
    ...those('PRAGMA'),
  ];
}

/** Upgrades the tables of a cluster in one batch. The module upgrade.ts upgrades SQLite files. */
export async function upgradeTables(database: Database, log: Log): Promise<void> {
  const from = await readSchemaVersion(database);
  if (needsUpgrade(from)) {
    log('info', 'upgrading database', { from, schema_version: SCHEMA_VERSION });
    if (await createSchema(database, planUpgrade) === from) {
      log('info', 'database upgraded', { schema_version: SCHEMA_VERSION });
    }
  }
}
