/**
 * Creates the tables of an empty database, or upgrades older tables, in one atomic batch. If several programs
 * start together, the batch of one program succeeds, and the other batches fail as a whole.
 */
import { APPLICATION_ID, raw, type Consistency, type Database, type Statement } from './database.ts';

export interface TableSchema {
  readonly version: number;
  /** The statements that create the tables of an empty database, with indexes and triggers. */
  readonly statements: readonly string[];
  /** On clusters, REPLACE fires no DELETE triggers, so these statements forbid REPLACE there. */
  readonly againstReplacing: readonly string[];
  /** The upgrade step to each version. Steps run without triggers. A step must fail if it runs again. */
  readonly steps: Readonly<Record<number, readonly string[]>>;
}

/** Programs with the schema version 5 or 6 read this view, and therefore refuse the newer schema. */
export const CREATE_VERSION =
  'CREATE VIEW schema_version AS SELECT user_version AS version FROM pragma_user_version';

/** @returns The version that the database had; 0 if it had no tables. */
export async function createSchema(database: Database, schema: TableSchema): Promise<number> {
  const from = await readSchemaVersion(database);
  const [{ isSafe } = {}] =
    await database.read(raw('SELECT recursive_triggers AS isSafe FROM pragma_recursive_triggers'));
  const batch = [...planSchema(schema, from), ...(isSafe === 1 ? [] : schema.againstReplacing.map(raw))];
  try {
    if (batch.length > 0) {
      await database.write(batch);
    }
    return from;
  } catch (error) {
    if (await readSchemaVersion(database) === schema.version) {
      return schema.version; // another program has just made the tables
    }
    const reason = error instanceof Error ? error.message : String(error);
    const action = from === 0 ? 'create' : 'upgrade';
    throw new Error(`Cannot ${action} the tables of the database: ${reason}`, { cause: error });
  }
}

/** @returns 0 if the database has no tables yet. */
export async function readSchemaVersion(
  database: Pick<Database, 'read'>, consistency: Consistency = 'linearizable',
): Promise<number> {
  const ask = (sql: string) => database.read(raw(sql), consistency);
  const [known] = await ask("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'");
  const [row] = known === undefined ? [] : await ask('SELECT max(version) AS version FROM schema_version');
  return Number(row?.['version'] ?? 0);
}

/** @returns An empty list if the versions are equal. @throws If the version `from` is too new or too old. */
export function planSchema({ version, statements, steps }: TableSchema, from: number): readonly Statement[] {
  // These statements change the header of the database file, as part of the transaction.
  const marks = [`PRAGMA application_id = ${APPLICATION_ID}`, `PRAGMA user_version = ${version}`];
  if (from === 0) {
    return [...statements, CREATE_VERSION, ...marks].map(raw);
  }
  if (from > version || (from < version && steps[from + 1] === undefined)) {
    const advice = from > version ? 'run a newer version' : 'run the version that made the database';
    throw new Error(`The database has schema version ${from}, but this program needs ${version}: ${advice}`);
  }
  const those = (kind: string) => statements.filter((statement) => statement.startsWith(`CREATE ${kind} `));
  return from === version ? [] : [
    ...those('TRIGGER').map((statement) => `DROP TRIGGER IF EXISTS ${statement.split(' ')[2]}`),
    ...Object.entries(steps).flatMap(([made, step]) => (Number(made) > from ? step : [])),
    ...those('INDEX').map((statement) => statement.replace('INDEX', 'INDEX IF NOT EXISTS')),
    ...those('TRIGGER'),
    ...marks,
  ].map(raw);
}
