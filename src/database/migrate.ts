/**
 * Brings a database to the version that this program needs. A migration is a list of statements; its version is its place
 * in the list of migrations, from 1. Each runs in one atomic batch together with the row that says it ran, so it takes
 * effect exactly once, also when several processes start at the same time.
 */
import type { Consistency, Database, Statement } from './database.ts';

/** Statements that change the schema, none of them with parameters. */
export type Migration = readonly string[];

const CREATE_TABLE = 'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT';
const READ_VERSION = 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations';
const INSERT_VERSION = 'INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)';

/**
 * @param migrations - All that there are, the oldest first; only ever appended to.
 * @param appliedAt - The present, for the record.
 * @returns The versions that this call applied.
 * @throws When the database is newer than the program, or a migration fails (then it has had no effect).
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  appliedAt: string,
): Promise<readonly number[]> {
  await database.write([statement(CREATE_TABLE)]);
  const applied: number[] = [];
  let version = await readSchemaVersion(database);
  while (version < migrations.length) {
    if (await tryMigration(database, version + 1, migrations[version] ?? [], appliedAt)) {
      applied.push(version + 1);
    }
    version = await readSchemaVersion(database);
  }
  if (version > migrations.length) {
    throw new Error(
      `The database has schema version ${version}, but this program knows only ${migrations.length}: run a newer program`,
    );
  }
  return applied;
}

/** @returns False when another process applied the same migration first. */
async function tryMigration(
  database: Database,
  version: number,
  migration: Migration,
  appliedAt: string,
): Promise<boolean> {
  const record: Statement = { sql: INSERT_VERSION, parameters: [version, appliedAt] };
  try {
    await database.write([record, ...migration.map(statement)]);
    return true;
  } catch (error) {
    if ((await readSchemaVersion(database)) >= version) {
      return false;
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot bring the database to schema version ${version}: ${reason}`, { cause: error });
  }
}

/** @returns The version that the database has; 0 when no migration ran yet. */
export async function readSchemaVersion(database: Database, consistency: Consistency = 'linearizable'): Promise<number> {
  const [row] = await database.read(statement(READ_VERSION), consistency);
  return Number(row?.['version']);
}

function statement(sql: string): Statement {
  return { sql, parameters: [] };
}
