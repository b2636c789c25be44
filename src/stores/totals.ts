/**
 * Counts the items that a list has on all its pages.
 *
 * The total of a whole table, and of the users with a role and state, is the sum of the counts of blocks. Any
 * other list is counted up to a bound, so that a large service takes no longer than a small one. A list with
 * fewer candidates than the bound has an exact total. For a longer list the total is a lower bound.
 */
import { integerOrNone, type Database, type Statement } from '../database/database.ts';
import type { TextSearch } from '../model/name.ts';
import type { Page, PageRequest, Total } from '../model/page.ts';
import { toGramQuery } from './grams.ts';
import { BLOCKS, toCondition, toRows, type RowQuery, type RowSet, type Table } from './search.ts';

/** The most rows that are read to count a list. A thousand take about a millisecond. */
export const ROWS_COUNTED_MAX = 1_000;

/**
 * The most index entries that are read, where an index alone suffices. Ten thousand take about a millisecond.
 */
export const ENTRIES_COUNTED_MAX = 10_000;

/**
 * Finds the total of a list. If the page is the last, the total follows from it; otherwise it was counted.
 *
 * @param encoded - The column `total`, see `encodeTotal`; `undefined` if the items were not counted.
 * @param count - The number of items on the page.
 */
export function toTotal(
  encoded: number | undefined,
  { number, sizeMax }: PageRequest,
  { count, hasNext }: { readonly count: number; readonly hasNext: boolean },
): Total {
  const known = (number - 1) * sizeMax + count;
  if (encoded === undefined || (!hasNext && (count > 0 || number === 1))) {
    return { count: known, relation: 'exact' };
  }
  const total = decodeTotal(encoded);
  return total.relation === 'exact' || !hasNext
    ? total
    : { count: Math.max(total.count, known + 1), relation: 'at_least' };
}

export function decodeTotal(encoded: number): Total {
  return encoded < 0
    ? { count: -1 - encoded, relation: 'at_least' }
    : { count: encoded, relation: 'exact' };
}

/** @returns True if counting costs more than checking whether the total is needed, which takes 8 µs. */
export function isCostlyToCount({ search }: RowQuery): boolean {
  return search.kind !== 'all';
}

/** @returns A statement whose only row has the column `total`. */
export function countMatches(table: Table, query: RowQuery): Statement {
  const { search, ownerId, among, ids } = query;
  if (search.kind !== 'all') {
    return table === 'users' && ids === undefined
      ? countFoundUsers(search, among)
      : countFound(table, query);
  }
  if (ownerId !== undefined) {
    return {
      sql: 'SELECT coalesce(sum(project_count), 0) AS total FROM users WHERE id = ?',
      parameters: [ownerId],
    };
  }
  const { sql, parameters } = among?.condition ?? { sql: 'TRUE', parameters: [] };
  return { sql: `SELECT coalesce(sum(count), 0) AS total FROM ${BLOCKS[table]} WHERE ${sql}`, parameters };
}

/** Compares the candidates from the index of names with the text, see grams.ts. */
function countFoundUsers(search: TextSearch, among: RowSet | undefined): Statement {
  const conditions = [
    toCondition(search, 'username_key'), ...(among === undefined ? [] : [among.condition]),
  ];
  return countUpTo(ROWS_COUNTED_MAX, {
    sql: `
      SELECT users.* FROM (
        SELECT rowid AS id FROM users_search WHERE users_search MATCH ? LIMIT ${ROWS_COUNTED_MAX + 1}
      ) CROSS JOIN users USING (id)`,
    parameters: [toGramQuery(search)],
  }, {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  });
}

/** Counts by comparing every row that may match, for a search that no index helps. */
function countFound(table: Table, { search, ...others }: RowQuery): Statement {
  const column = table === 'users' ? 'username_key' : 'name_key';
  const rows = toRows(table, { ...others, search: { kind: 'all' } });
  return countUpTo(
    ROWS_COUNTED_MAX,
    { sql: `SELECT ${column} FROM ${rows.sql}`, parameters: rows.parameters },
    toCondition(search, column),
  );
}

/**
 * Makes a page of rows in memory. Queries the total only if the page itself does not determine the total.
 *
 * @param items - At most one more than the page holds.
 * @param matches - A statement whose only row has the column `total`.
 */
export async function toPage<Item>(
  database: Database, items: readonly Item[], page: PageRequest, matches: Statement,
): Promise<Page<Item>> {
  const hasNext = items.length > page.sizeMax;
  const shown = items.slice(0, page.sizeMax);
  const isLast = !hasNext && (shown.length > 0 || page.number === 1);
  const [row = { total: null }] = isLast ? [] : await database.read(matches, 'recent');
  const total = toTotal(integerOrNone(row, 'total'), page, { count: shown.length, hasNext });
  return { items: shown, hasNext, total };
}

/**
 * Puts a total and its exactness into one column. With two columns, a list of 50 users takes 50 % longer.
 *
 * @returns An expression: n for exactly n, and -1 - n for at least n.
 */
export function encodeTotal(total: string, isExact: string): string {
  return `iif(${isExact}, 1, -1) * ${total} - (NOT (${isExact}))`;
}

/**
 * @param max - The most candidates that are examined.
 * @param candidates - A `SELECT` of the candidates.
 * @param condition - An expression on the columns of `candidates`: 1 for a match.
 */
export function countUpTo(
  max: number, candidates: Statement, condition: Statement = { sql: '1', parameters: [] },
): Statement {
  return {
    sql: `
      SELECT ${encodeTotal(`coalesce(sum(${condition.sql}), 0)`, `count(*) <= ${max}`)} AS total
      FROM (${candidates.sql} LIMIT ${max + 1})`,
    parameters: [...condition.parameters, ...candidates.parameters],
  };
}
