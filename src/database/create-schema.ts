/**
 * Creates the tables in an empty database, or upgrades those of an earlier version, in one atomic batch that
 * also sets the version. So this happens once, even when several programs start at the same time: the second
 * batch fails as a whole, because what it creates is there already.
 *
 * `PRAGMA user_version` holds the version. The view `schema_version` shows it. Versions 5 and 6 have a table
 * of this name in its place, so the same query reads every version, and programs of those versions refuse a
 * newer database.
 */
import { APPLICATION_ID, type Consistency, type Database, type Statement } from './database.ts';

/** The statements have no parameters. */
export interface Schema {
  readonly version: number;
  /** Create the tables, and then their indexes and triggers, in an empty database. */
  readonly statements: readonly string[];
  /**
   * By version: the statements that make its tables from those of the version before. They fail when they run
   * a second time. Meanwhile no trigger of `statements` exists; those and missing indexes are created last.
   */
  readonly steps: Readonly<Record<number, readonly string[]>>;
}

/** `existing`: the tables had the version of the program. */
type SchemaOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'existing' }
  | { readonly kind: 'upgraded'; readonly from: number };

/** Shows the version to programs of every version. */
export const CREATE_VERSION =
  'CREATE VIEW schema_version AS SELECT user_version AS version FROM pragma_user_version';
const HAS_VERSION = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'";
const READ_VERSION = 'SELECT max(version) AS version FROM schema_version';

/** @throws When the version is newer or too old, or a statement fails (then none takes effect). */
export async function createSchema(database: Database, schema: Schema): Promise<SchemaOutcome> {
  const version = await readSchemaVersion(database);
  if (version === schema.version) {
    return { kind: 'existing' };
  }
  const batch = version === 0 ? planCreation(schema) : planUpgrade(schema, version);
  try {
    await database.write(batch);
    return version === 0 ? { kind: 'created' } : { kind: 'upgraded', from: version };
  } catch (error) {
    if (await readSchemaVersion(database) === schema.version) {
      return { kind: 'existing' }; // another program came first
    }
    const action = version === 0 ? 'create' : 'upgrade';
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot ${action} the tables of the database: ${reason}`, { cause: error });
  }
}

/** Changes nothing. @throws When the database has no tables yet, or another version. */
export async function requireSchema(database: Database, schema: Schema): Promise<void> {
  const version = await requireVersion(database, schema);
  if (version !== schema.version) {
    throw new Error(`The database has schema version ${version}: start the service, which upgrades it`);
  }
}

/** Changes nothing. @throws When the program can neither use nor upgrade the database. */
export async function requireUpgradableSchema(database: Database, schema: Schema): Promise<void> {
  await requireVersion(database, schema);
}

async function requireVersion(database: Database, schema: Schema): Promise<number> {
  const version = await readSchemaVersion(database);
  if (version === 0) {
    throw new Error('The database is empty: start the service first');
  }
  if (version !== schema.version) {
    planUpgrade(schema, version);
  }
  return version;
}

/** @returns 0 when there are no tables yet. */
export async function readSchemaVersion(
  database: Pick<Database, 'read'>, consistency: Consistency = 'linearizable',
): Promise<number> {
  const [known] = await database.read(toStatement(HAS_VERSION), consistency);
  const [row] = known === undefined ? [] : await database.read(toStatement(READ_VERSION), consistency);
  return Number(row?.['version'] ?? 0);
}

function planCreation({ statements, version }: Schema): readonly Statement[] {
  return [...statements, CREATE_VERSION, ...toMarks(version)].map(toStatement);
}

/** @returns The batch that upgrades a database. @throws When its version is newer, or too old. */
export function planUpgrade({ version, statements, steps }: Schema, from: number): readonly Statement[] {
  if (from > version || steps[from + 1] === undefined) {
    const advice = from > version ? 'run a newer program' : 'use the program that made it';
    throw new Error(`The database has schema version ${from}, but this program needs ${version}: ${advice}`);
  }
  const indexes = statements.filter((statement) => statement.startsWith('CREATE INDEX '));
  const triggers = statements.filter((statement) => statement.startsWith('CREATE TRIGGER '));
  return [
    ...triggers.map((statement) => `DROP TRIGGER IF EXISTS ${statement.split(' ')[2]}`),
    ...Object.entries(steps).flatMap(([made, step]) => (Number(made) > from ? step : [])),
    ...indexes.map((statement) => statement.replace('INDEX', 'INDEX IF NOT EXISTS')),
    ...triggers,
    ...toMarks(version),
  ].map(toStatement);
}

/** Both numbers are in the header of the file, and part of the transaction. */
function toMarks(version: number): readonly string[] {
  return [`PRAGMA application_id = ${APPLICATION_ID}`, `PRAGMA user_version = ${version}`];
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] };
}
