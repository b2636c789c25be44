/**
 * Compares derived data with its source. Derived are the search index, the keys of names, the counts that
 * speed up pages, and the counts and lists of each user's projects.
 */
import { DatabaseUnavailableError, integer, text, type Database } from '../../database/database.ts';
import { toNameKey } from '../../model/name.ts';
import { toGrams } from '../../stores/grams.ts';
import { PROJECT_COUNTS, toShortProjects } from '../../stores/representations.ts';

const USERS_AT_ONCE = 1_000;

/** The numbers of users are counted separately for each role and state. */
const COUNTED = [
  ['users', 'user_blocks', 'block, is_admin, disabled'], ['projects', 'project_blocks', 'block'],
] as const;

/** @returns A sentence for each difference; no sentence when the derived data is right. */
export async function findInconsistencies(database: Database): Promise<readonly string[]> {
  return [
    ...(await findIndexFault(database)),
    ...(await findKeyFaults(database)),
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
      sql: "INSERT INTO users_search (users_search, rank) VALUES ('integrity-check', 1)", parameters: [],
    }]);
    return [];
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) {
      throw error;
    }
    return ['the search index does not match the table "users"'];
  }
}

/** Compares the columns that this program computes from a name with the stored ones. */
async function findKeyFaults(database: Database): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let last = 0; ;) {
    const rows = await database.read({
      sql: 'SELECT id, username, username_key, username_grams FROM users WHERE id > ? ORDER BY id LIMIT ?',
      parameters: [last, USERS_AT_ONCE],
    });
    for (const row of rows) {
      last = integer(row, 'id');
      const key = toNameKey(text(row, 'username'));
      if (text(row, 'username_key') !== key || !isSameSet(text(row, 'username_grams'), toGrams(key))) {
        faults.push(`user ${last} cannot be found by name`);
      }
    }
    if (rows.length < USERS_AT_ONCE) {
      return faults;
    }
  }
}

function isSameSet(left: string, right: string): boolean {
  return left.split(' ').toSorted().join(' ') === right.split(' ').toSorted().join(' ');
}

async function findCountFaults(database: Database): Promise<readonly string[]> {
  const faults = COUNTED.map(async ([table, blocks, group]) => {
    const rows = await database.read({
      sql: `
        WITH counted AS (
          SELECT ${group}, count(*) AS total
          FROM (SELECT id >> 13 AS block, * FROM ${table}) GROUP BY ${group}
        )
        SELECT block FROM counted LEFT JOIN ${blocks} USING (${group}) WHERE count IS NOT total
        UNION
        SELECT block FROM ${blocks} LEFT JOIN counted USING (${group}) WHERE count > 0 AND total IS NULL`,
      parameters: [],
    });
    return rows.map((row) => `the count of "${table}" from id ${integer(row, 'block') * 8192} on is wrong`);
  });
  return (await Promise.all(faults)).flat();
}

async function findOwnedFaults(database: Database): Promise<readonly string[]> {
  const rows = await database.read({
    sql: `
      SELECT users.id
      FROM users LEFT JOIN (
        SELECT owner_id, count(*) AS count, sum(octet_length(head)) AS bytes FROM projects GROUP BY owner_id
      ) ON owner_id = users.id
      WHERE project_count IS NOT coalesce(count, 0) OR project_bytes IS NOT coalesce(bytes, 0)
        OR short_projects IS NOT ${toShortProjects(PROJECT_COUNTS)}`,
    parameters: [],
  });
  return rows.map((row) => `the count or the list of projects of user ${integer(row, 'id')} is wrong`);
}
