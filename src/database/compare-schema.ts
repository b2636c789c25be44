/**
 * Compares the tables, indexes and triggers of a database with those that the program creates. A file is not
 * believed because of its version: whoever can write a backup could change a trigger in it, and so make
 * administrators, or remove what guards the audit trail.
 *
 * SQLite keeps the text of each statement that created something, also through a backup, VACUUM and ANALYZE.
 * The rows of the tables are not compared.
 */
import { textOf, type Database, type Row } from './database.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Reads everything but the indexes of UNIQUE and PRIMARY KEY, which have no text of their own. */
const READ_OBJECTS = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name';

/** Tables of SQLite itself, and those of the cluster extra. No trigger can be among them. */
const FOREIGN_TABLES = new Set([
  'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4', 'applied_batches', 'node_snapshots',
]);

/** A trigger that a file has after it was in a cluster. */
const CLUSTER_TRIGGER = 'trigger audit_events_are_not_replaced';

/** The tables in which FTS5 keeps an index (sqlite.org/fts5.html#fts5_data_structures). */
const SHADOW_TABLES = ['data', 'idx', 'content', 'docsize', 'config'];

/**
 * @param creation - The statements that create the database; those that do not begin with CREATE are ignored.
 * @returns The first difference, to complete "the database …", or `undefined`.
 */
export async function findSchemaDifference(
  database: Pick<Database, 'read'>, creation: readonly string[],
): Promise<string | undefined> {
  const expected = new Map(creation.flatMap(parseCreation).map((object) => [keyOf(object), object]));
  const rows = await database.read({ sql: READ_OBJECTS, parameters: [] });
  const found = rows.map(toObject).filter((object) => !isOfSqlite(object, expected));
  for (const object of found) {
    const own = expected.get(keyOf(object));
    if (own === undefined && keyOf(object) === CLUSTER_TRIGGER) {
      continue;
    }
    if (own === undefined) {
      return `has a ${object.type} "${object.name}" that this program does not create`;
    }
    if (own.sql !== object.sql) {
      return `has another ${object.type} "${object.name}" than this program creates`;
    }
  }
  const names = new Set(found.map(keyOf));
  const [missing] = [...expected.values()].filter((object) => !names.has(keyOf(object)));
  return missing && `lacks the ${missing.type} "${missing.name}"`;
}

const CREATION = /^\s*CREATE (VIRTUAL )?(TABLE|INDEX|TRIGGER) (?:IF NOT EXISTS )?((\w+)[^]*?)\s*$/;

/** @returns The object as SQLite stores it: without IF NOT EXISTS, and without white space at the ends. */
function parseCreation(statement: string): readonly SchemaObject[] {
  const [, virtual = '', type, rest, name] = CREATION.exec(statement) ?? [];
  return type === undefined || name === undefined
    ? []
    : [{ type: type.toLowerCase(), name, sql: `CREATE ${virtual}${type} ${rest}` }];
}

function isOfSqlite({ type, name }: SchemaObject, expected: ReadonlyMap<string, SchemaObject>): boolean {
  return type === 'table' && (FOREIGN_TABLES.has(name) || SHADOW_TABLES.some((suffix) => {
    const owner = expected.get(`table ${name.slice(0, -suffix.length - 1)}`);
    return name.endsWith(`_${suffix}`) && owner?.sql.startsWith('CREATE VIRTUAL');
  }));
}

function keyOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}

function toObject(row: Row): SchemaObject {
  return { type: textOf(row, 'type'), name: textOf(row, 'name'), sql: textOf(row, 'sql') };
}
