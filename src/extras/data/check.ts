/** Looks for damage in a SQLite file, and for derived data that differs from its source. */
import { DatabaseSync } from 'node:sqlite';
import {
  DatabaseLockedError, DatabaseUnavailableError, raw, readRow, sql, type Database,
} from '../../database/database.ts';
import { isDamaged } from '../../database/sqlite-errors.ts';
import { toNameKey } from '../../model/name.ts';
import { LISTED_PROJECTS } from '../../stores/representations.ts';

const DAMAGE = `
  SELECT integrity_check AS fault FROM pragma_integrity_check WHERE integrity_check <> 'ok'
  UNION ALL SELECT
    format('row %d of "%s" refers to a row of "%s" that does not exist', rowid, "table", parent)
  FROM pragma_foreign_key_check`;

/** @returns A sentence for each fault in the file. */
export function findDamage(path: string): readonly string[] {
  const connection = new DatabaseSync(path);
  try {
    return connection.prepare(DAMAGE).all().map(({ fault }) => String(fault));
  } catch (error) {
    if (isDamaged(error) && error instanceof Error) {
      return [error.message];
    }
    throw error;
  } finally {
    connection.close();
  }
}

const WRONG_COUNTS = raw(`
  SELECT 'the count of "users" is wrong' AS fault FROM row_counts
    WHERE users <> (SELECT count(*) FROM users)
  UNION ALL SELECT 'the count of "projects" is wrong' FROM row_counts
    WHERE projects <> (SELECT count(*) FROM projects)
  UNION ALL SELECT 'the count or the list of projects of user ' || users.id || ' is wrong'
    FROM users LEFT JOIN (SELECT owner_id, count(*) AS count FROM projects GROUP BY owner_id)
      ON owner_id = users.id
    WHERE project_count IS NOT coalesce(count, 0) OR listed_projects IS NOT ${LISTED_PROJECTS}`);

/** @returns A sentence for each difference between derived data and its source. */
export async function findInconsistencies(database: Database): Promise<readonly string[]> {
  return [
    ...(await findIndexFault(database)),
    ...(await findKeyFaults(database, 'users', 'username')),
    ...(await findKeyFaults(database, 'projects', 'name')),
    ...(await database.read(WRONG_COUNTS)).map((row) => readRow(row, { fault: 'text' }).fault),
  ];
}

/** Compares the search index with the table `users` (sqlite.org/fts5.html#the_integrity_check_command). */
const COMPARE_INDEX = raw("INSERT INTO users_search (users_search, rank) VALUES ('integrity-check', 1)");

async function findIndexFault(database: Database): Promise<readonly string[]> {
  try {
    await database.write([COMPARE_INDEX]);
    return [];
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || error instanceof DatabaseLockedError) {
      throw error;
    }
    return ['the search index does not match the table "users"'];
  }
}

const ROWS_AT_ONCE = 1_000;

/** Compares the stored key of each name with the result of `toNameKey`. */
async function findKeyFaults(database: Database, table: string, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const columns = raw(`${name} AS name, ${name}_key AS key`);
  for (let last = 0, count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
    const rows = await database.read(sql`
      SELECT id, ${columns} FROM ${raw(table)} WHERE id > ${last} ORDER BY id LIMIT ${ROWS_AT_ONCE}`);
    for (const row of rows) {
      const { id, key, name: text } = readRow(row, { id: 'integer', key: 'text', name: 'text' });
      last = id;
      if (key !== toNameKey(text)) {
        faults.push(`row ${id} of "${table}" cannot be found by name`);
      }
    }
    count = rows.length;
  }
  return faults;
}
