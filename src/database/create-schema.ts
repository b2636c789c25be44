/**
 * Creates the tables in an empty database, or upgrades those of an earlier version, in one atomic batch
 * together with the row that names their version. So this happens once, even when several processes start at
 * the same time.
 */
import { findSchemaDifference } from './compare-schema.ts';
import type { Consistency, Database, Row, Statement } from './database.ts';
import { READ_DEPENDENTS, toUpgradeStatements, type Upgrade } from './upgrade-tables.ts';

export interface Schema {
  /** The first version is 1. */
  readonly version: number;
  /** The statements have no parameters. */
  readonly statements: readonly string[];
  /**
   * Further statements for a cluster, all idempotent. On its connections `recursive_triggers` is off: when
   * INSERT OR REPLACE removes a row, the triggers of DELETE do not run (sqlite.org/lang_conflict.html).
   */
  readonly againstReplacing: readonly string[];
  /** The earlier versions that can be upgraded. */
  readonly upgrades: readonly Upgrade[];
}

/** `existing`: the tables had the version of the program. */
export type SchemaOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'existing' }
  | { readonly kind: 'upgraded'; readonly from: number };

const CREATE_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, created_at TEXT NOT NULL) STRICT';
const READ_VERSION = 'SELECT coalesce(max(version), 0) AS version FROM schema_version';
const RUNS_RECURSIVE_TRIGGERS = 'SELECT recursive_triggers AS yes FROM pragma_recursive_triggers';
const INSERT_VERSION = 'INSERT INTO schema_version (version, created_at) VALUES (?, ?)';

/**
 * @param at - The current time, stored with the version.
 * @throws When the database has a version that is newer or unknown, or other tables than its version, or a
 *   statement fails (then none takes effect).
 */
export async function createSchema(database: Database, schema: Schema, at: string): Promise<SchemaOutcome> {
  await database.write([toStatement(CREATE_TABLE)]);
  const version = await readSchemaVersion(database);
  const read = (statement: Statement) => database.read(statement);
  if (version === schema.version) {
    const guards = await listGuards(read, schema);
    await (guards.length > 0 && database.write(guards.map(toStatement))); // for a file loaded into a cluster
    await refuseOtherSchema(database, schema);
    return { kind: 'existing' };
  }
  const statements = version === 0
    ? await planCreation(read, schema, at)
    : await planUpgrade(read, schema, { from: version, at });
  try {
    await database.write(statements);
    return version === 0 ? { kind: 'created' } : { kind: 'upgraded', from: version };
  } catch (error) {
    if ((await readSchemaVersion(database)) === schema.version) {
      return { kind: 'existing' }; // another process came first
    }
    const action = version === 0 ? 'create' : 'upgrade';
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot ${action} the tables of the database: ${reason}`, { cause: error });
  }
}

/** Changes nothing. @throws When the database has no tables yet, another version, or other tables. */
export async function requireSchema(database: Database, schema: Schema): Promise<void> {
  const version = await readVersionIfAny(database);
  if (version < schema.version) {
    findUpgrade(schema, version);
    throw new Error(`The database has schema version ${version}: start the service, which upgrades it`);
  }
  refuseNewer(version, schema);
  await refuseOtherSchema(database, schema);
}

/** Changes nothing. @throws When the program can neither use nor upgrade the database. */
export async function requireUpgradableSchema(database: Database, schema: Schema): Promise<void> {
  const version = await readVersionIfAny(database);
  if (version === schema.version) {
    await refuseOtherSchema(database, schema);
  } else {
    findUpgrade(schema, version);
  }
}

/** @throws When a table, an index or a trigger is not as this version creates it. */
async function refuseOtherSchema(database: Database, schema: Schema): Promise<void> {
  const creation = await listCreation((statement) => database.read(statement), schema);
  const difference = await findSchemaDifference(database, [CREATE_TABLE, ...creation]);
  if (difference !== undefined) {
    const advice = 'restore a backup that nobody has changed';
    throw new Error(`The database ${difference}: ${advice}`);
  }
}

async function readVersionIfAny(database: Database): Promise<number> {
  const version = await readSchemaVersion(database).catch(() => 0); // an empty database has no such table
  if (version === 0) {
    throw new Error('The database is empty: start the service first');
  }
  return version;
}

/** @throws When the version is newer than the program, or too old. */
function findUpgrade(schema: Schema, version: number): Upgrade {
  refuseNewer(version, schema);
  const upgrade = schema.upgrades.find(({ from }) => from === version);
  if (upgrade === undefined) {
    throw refusal(version, schema, 'use the program that made it');
  }
  return upgrade;
}

function refuseNewer(version: number, schema: Schema): void {
  if (version > schema.version) {
    throw refusal(version, schema, 'run a newer program');
  }
}

function refusal(version: number, schema: Schema, advice: string): Error {
  return new Error(
    `The database has schema version ${version}, but this program needs ${schema.version}: ${advice}`,
  );
}

type Read = (statement: Statement) => Promise<readonly Row[]> | readonly Row[];

/** @returns The batch for an empty database. The row of the version comes first: it refuses a second run. */
async function planCreation(read: Read, schema: Schema, at: string): Promise<readonly Statement[]> {
  return [insertVersion(schema, at), ...(await listCreation(read, schema)).map(toStatement)];
}

/**
 * @returns The batch that upgrades a database.
 * @throws When the version is newer or unknown.
 */
export async function planUpgrade(
  read: Read, schema: Schema, { from, at }: { readonly from: number; readonly at: string },
): Promise<readonly Statement[]> {
  const upgrade = findUpgrade(schema, from);
  const creation = await listCreation(read, schema);
  const statements = toUpgradeStatements(upgrade, await read(READ_DEPENDENTS), creation);
  return [insertVersion(schema, at), ...statements.map(toStatement)];
}

async function listCreation(read: Read, schema: Schema): Promise<readonly string[]> {
  return [...schema.statements, ...(await listGuards(read, schema))];
}

/** @returns The statements that only a cluster needs; none for a file. */
async function listGuards(read: Read, { againstReplacing }: Schema): Promise<readonly string[]> {
  const [setting] = await read(toStatement(RUNS_RECURSIVE_TRIGGERS));
  return setting?.['yes'] === 1 ? [] : againstReplacing;
}

function insertVersion({ version }: Schema, at: string): Statement {
  return { sql: INSERT_VERSION, parameters: [version, at] };
}

/** @returns 0 when there are no tables yet. */
export async function readSchemaVersion(
  database: Pick<Database, 'read'>,
  consistency: Consistency = 'linearizable',
): Promise<number> {
  const [row] = await database.read(toStatement(READ_VERSION), consistency);
  return Number(row?.['version']);
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] };
}
