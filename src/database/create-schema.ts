/**
 * Creates the tables in an empty database, in one atomic batch together with the row that names their
 * version. So the tables are created once, even when several processes start at the same time.
 */
import type { Consistency, Database, Statement } from './database.ts';

export interface Schema {
  /** The first version is 1. */
  readonly version: number;
  /** The statements have no parameters. */
  readonly statements: readonly string[];
  /**
   * Further statements for a cluster. On its connections `recursive_triggers` is off: when INSERT OR REPLACE
   * removes a row, the triggers of DELETE do not run (sqlite.org/lang_conflict.html).
   */
  readonly againstReplacing: readonly string[];
}

const CREATE_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, created_at TEXT NOT NULL) STRICT';
const READ_VERSION = 'SELECT coalesce(max(version), 0) AS version FROM schema_version';
const RUNS_RECURSIVE_TRIGGERS = 'SELECT recursive_triggers AS yes FROM pragma_recursive_triggers';
const INSERT_VERSION = 'INSERT INTO schema_version (version, created_at) VALUES (?, ?)';

/**
 * @param createdAt - The current time, stored with the version.
 * @returns True when this call created the tables; false when they existed.
 * @throws When the database has another version, or a statement fails (then none takes effect).
 */
export async function createSchema(database: Database, schema: Schema, createdAt: string): Promise<boolean> {
  await database.write([toStatement(CREATE_TABLE)]);
  const version = await readSchemaVersion(database);
  if (version === 0) {
    return insertTables(database, schema, createdAt);
  }
  refuseOtherVersion(version, schema);
  return false;
}

/** Changes nothing. @throws When the database has no tables yet, or another version. */
export async function requireSchema(database: Database, schema: Schema): Promise<void> {
  const version = await readSchemaVersion(database).catch(() => 0); // an empty database has no such table
  if (version === 0) {
    throw new Error('The database is empty: start the service first');
  }
  refuseOtherVersion(version, schema);
}

function refuseOtherVersion(version: number, schema: Schema): void {
  if (version !== schema.version) {
    const advice = version > schema.version
      ? 'run a newer program'
      : 'export it with the program that made it, and import the export into an empty database';
    throw new Error(
      `The database has schema version ${version}, but this program needs ${schema.version}: ${advice}`,
    );
  }
}

/** @returns False when another process created the tables first. */
async function insertTables(
  database: Database,
  { version, statements, againstReplacing }: Schema,
  createdAt: string,
): Promise<boolean> {
  try {
    const [setting] = await database.read(toStatement(RUNS_RECURSIVE_TRIGGERS));
    const guards = setting?.['yes'] === 1 ? [] : againstReplacing;
    await database.write([
      { sql: INSERT_VERSION, parameters: [version, createdAt] },
      ...[...statements, ...guards].map(toStatement),
    ]);
    return true;
  } catch (error) {
    if ((await readSchemaVersion(database)) === version) {
      return false;
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot create the tables of the database: ${reason}`, { cause: error });
  }
}

/** @returns 0 when there are no tables yet. */
export async function readSchemaVersion(
  database: Database,
  consistency: Consistency = 'linearizable',
): Promise<number> {
  const [row] = await database.read(toStatement(READ_VERSION), consistency);
  return Number(row?.['version']);
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] };
}
