/**
 * Compares derived data with its source. Derived are the search index, the keys of names, the counts of
 * rows, and the count and the listed projects of each user.
 */
import { DatabaseUnavailableError, integerOf, textOf, type Database } from '../../database/database.ts';
import { toNameKey } from '../../model/name.ts';
import { LISTED_PROJECTS } from '../../stores/schema.ts';

const ROWS_AT_ONCE = 1_000;

/** The tables with names, and the columns of the name and of its key. */
const NAMED = [['users', 'username', 'username_key'], ['projects', 'name', 'name_key']] as const;

/** @returns A sentence for each difference; no sentence when the derived data is right. */
export async function findInconsistencies(database: Database): Promise<readonly string[]> {
  return [
    ...(await findIndexFault(database)),
    ...(await Promise.all(NAMED.map((named) => findKeyFaults(database, named)))).flat(),
    ...(await findCountFaults(database)),
    ...(await findOwnedFaults(database)),
  ];
}

/**
 * FTS5 compares its index with the table that it indexes (sqlite.org/fts5.html#the_integrity_check_command).
 */
async function findIndexFault(database: Database): Promise<readonly string[]> {
  try {
    await database.write([{
      sql: "INSERT INTO users_search (users_search, rank) VALUES ('integrity-check', 1)",
      parameters: [],
    }]);
    return [];
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) {
      throw error;
    }
    return ['the search index does not match the table "users"'];
  }
}

/** Compares the keys that this program computes from names with the stored ones. */
async function findKeyFaults(
  database: Database, [table, name, key]: (typeof NAMED)[number],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let last = 0; ;) {
    const rows = await database.read({
      sql: `SELECT id, ${name} AS name, ${key} AS key FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`,
      parameters: [last, ROWS_AT_ONCE],
    });
    for (const row of rows) {
      last = integerOf(row, 'id');
      if (textOf(row, 'key') !== toNameKey(textOf(row, 'name'))) {
        faults.push(`row ${last} of "${table}" cannot be found by name`);
      }
    }
    if (rows.length < ROWS_AT_ONCE) {
      return faults;
    }
  }
}

async function findCountFaults(database: Database): Promise<readonly string[]> {
  const tables = await database.read({
    sql: `
      SELECT 'users' AS name FROM row_counts WHERE users <> (SELECT count(*) FROM users)
      UNION ALL SELECT 'projects' FROM row_counts WHERE projects <> (SELECT count(*) FROM projects)`,
    parameters: [],
  });
  return tables.map((row) => `the count of "${textOf(row, 'name')}" is wrong`);
}

async function findOwnedFaults(database: Database): Promise<readonly string[]> {
  const rows = await database.read({
    sql: `
      SELECT users.id
      FROM users LEFT JOIN (SELECT owner_id, count(*) AS count FROM projects GROUP BY owner_id)
        ON owner_id = users.id
      WHERE project_count IS NOT coalesce(count, 0) OR listed_projects IS NOT ${LISTED_PROJECTS}`,
    parameters: [],
  });
  return rows.map((row) => `the count or the list of projects of user ${integerOf(row, 'id')} is wrong`);
}
