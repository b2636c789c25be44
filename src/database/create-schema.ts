/**
 * Creates the tables of an empty database, or upgrades the tables of an earlier version, in one atomic batch.
 * If several programs start at the same time, one batch succeeds. The batches of the other programs fail as a
 * whole, because the tables that they create exist already.
 *
 * The view `schema_version` shows the version, which is `PRAGMA user_version`. Databases of versions 5 and 6
 * have a table with the name of the view. So one query reads every version, and even programs of versions 5
 * and 6 refuse a newer database.
 */
import { APPLICATION_ID, raw, type Consistency, type Database, type Statement } from './database.ts';

export interface TableSchema {
  readonly version: number;
  /** Create the tables, and then their indexes and triggers, in an empty database. */
  readonly statements: readonly string[];
  /**
   * By version: statements that upgrade the tables of the version before, and fail when they run twice. While
   * the steps run, there are no triggers. Triggers and missing indexes are created last.
   */
  readonly steps: Readonly<Record<number, readonly string[]>>;
}

export const CREATE_VERSION =
  'CREATE VIEW schema_version AS SELECT user_version AS version FROM pragma_user_version';

/**
 * @param onUpgrade - Called before an upgrade, with the version of the database.
 * @returns The version that the database had; 0 when the tables were created.
 * @throws When the version is newer or too old, or a statement fails (then none takes effect).
 */
export async function createSchema(
  database: Database, schema: TableSchema, onUpgrade?: (from: number) => void,
): Promise<number> {
  const from = await readSchemaVersion(database);
  const batch = planSchema(schema, from);
  if (from > 0 && batch.length > 0) {
    onUpgrade?.(from);
  }
  try {
    await database.write(batch);
    return from;
  } catch (error) {
    if (await readSchemaVersion(database) === schema.version) {
      return schema.version; // another program came first
    }
    const reason = error instanceof Error ? error.message : String(error);
    const action = from === 0 ? 'create' : 'upgrade';
    throw new Error(`Cannot ${action} the tables of the database: ${reason}`, { cause: error });
  }
}

/** Changes nothing. @throws When the database has no tables yet, or another version. */
export async function requireSchema(database: Database, schema: TableSchema): Promise<void> {
  const version = await readSchemaVersion(database);
  if (planSchema(schema, version).length > 0) {
    throw new Error(version === 0
      ? 'The database is empty: start the service, which creates the tables'
      : `The database has schema version ${version}: start the service, which upgrades it`);
  }
}

/** @returns 0 when there are no tables yet. */
export async function readSchemaVersion(
  database: Pick<Database, 'read'>, consistency: Consistency = 'linearizable',
): Promise<number> {
  const ask = (sql: string) => database.read(raw(sql), consistency);
  const [known] = await ask("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'");
  const [row] = known === undefined ? [] : await ask('SELECT max(version) AS version FROM schema_version');
  return Number(row?.['version'] ?? 0);
}

/**
 * @param from - The version of the tables; 0 if there are none.
 * @returns The statements that make tables of this version; empty if the tables have it.
 * @throws When the version is newer, or too old.
 */
export function planSchema({ version, statements, steps }: TableSchema, from: number): readonly Statement[] {
  // The id of the application and the version are in the header of the file, and part of the transaction.
  const marks = [`PRAGMA application_id = ${APPLICATION_ID}`, `PRAGMA user_version = ${version}`];
  if (from === 0) {
    return [...statements, CREATE_VERSION, ...marks].map(raw);
  }
  if (from > version || (from < version && steps[from + 1] === undefined)) {
    const advice = from > version ? 'run a newer version' : 'run the version that made it';
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
