/**
 * Finds the ids of a page without walking over all pages before it, and exactly, also after deletions.
 *
 * Ids are counted in blocks of 8192 that follow each other (`user_blocks`, `project_blocks`; 122 blocks for a million rows).
 * The running sum of the counts tells in which block an offset lies and how many rows stand before that block; only the
 * rest is skipped, in an index that holds nothing but ids. So the cost of a page grows with the blocks before it, not the rows.
 */
import type { Row, Statement } from '../database/database.ts';
import type { TextSearch } from '../model/name.ts';
import type { JsonPage, Page, PageRequest, SortOrder } from '../model/page.ts';
import { integer, textOrNone } from './columns.ts';
import { toGramQuery } from './grams.ts';
import { toCondition } from './search.ts';

/** A part of a statement, with the values of its `?` in order. */
type Fragment = Statement;

/** As in the triggers of schema.ts. */
const BLOCK_BITS = 13;

/**
 * The span of ids that a page over a whole table covers, together with the item after it.
 *
 * @returns A select with one row, `first` and `last`, or none when there is no such page.
 */
export function toSpanOfPage(table: 'users' | 'projects', page: PageRequest): Fragment {
  const { limit, offset } = toWindow(page);
  const first = toFirstOfPage(table, offset);
  return {
    sql: `
      SELECT first, coalesce(
        (SELECT id FROM ${table} INDEXED BY ${table}_by_id WHERE id >= first ORDER BY id LIMIT 1 OFFSET ?),
        (SELECT max(id) FROM ${table})
      ) AS last
      FROM (${first.sql})`,
    parameters: [limit - 1, ...first.parameters],
  };
}

function toFirstOfPage(table: 'users' | 'projects', offset: number): Fragment {
  if (offset < 2 ** BLOCK_BITS) {
    return { sql: `SELECT id AS first FROM ${table} INDEXED BY ${table}_by_id ORDER BY id LIMIT 1 OFFSET ?`, parameters: [offset] };
  }
  const blocks = table === 'users' ? 'user_blocks' : 'project_blocks';
  return {
    sql: `
      WITH start (block, before) AS MATERIALIZED (
        SELECT block, before
        FROM (SELECT block, sum(count) OVER (ORDER BY block) - count AS before FROM ${blocks})
        WHERE before <= ? ORDER BY before DESC, block DESC LIMIT 1
      )
      SELECT id AS first FROM ${table} INDEXED BY ${table}_by_id
      WHERE id >= (SELECT block << ${BLOCK_BITS} FROM start)
      ORDER BY id LIMIT 1 OFFSET ? - coalesce((SELECT before FROM start), 0)`,
    parameters: [offset, offset],
  };
}

/**
 * The term of `ORDER BY`; columns are unique, so one orders everything.
 *
 * @param columns - The column of each key, as it is written in the statement.
 * @returns `undefined` for the order of ids, which the faster ways take.
 */
export function toOrderTerm<Key extends string>(
  { by, isDescending }: SortOrder<Key>,
  columns: Readonly<Record<Key | 'id', string>>,
): string | undefined {
  const isById = columns[by] === columns.id && !isDescending;
  return isById ? undefined : `${columns[by]} ${isDescending ? 'DESC' : 'ASC'}`;
}

/** @returns The ids of a page over all users in another order, and the one after it. */
export function toIdsOfSortedUsers(page: PageRequest, order: string): Fragment {
  const { limit, offset } = toWindow(page);
  return { sql: `SELECT users.id FROM users ORDER BY ${order} LIMIT ? OFFSET ?`, parameters: [limit, offset] };
}

/**
 * The bounds are expressions: SQLite tells a bare `LIMIT ?` to a virtual table when it plans, and so it would prepare the
 * statement anew for each execution.
 *
 * @returns The ids of a page over the users whose names match, and the one after it.
 */
export function toIdsOfFoundUsers(search: TextSearch, page: PageRequest, order = 'users_search.rowid'): Fragment {
  const condition = toCondition(search, 'users.username_key');
  const { limit, offset } = toWindow(page);
  return {
    sql: `
      SELECT users.id
      FROM users_search CROSS JOIN users ON users.id = users_search.rowid
      WHERE users_search MATCH ? AND ${condition.sql}
      ORDER BY ${order} LIMIT 0 + ? OFFSET 0 + ?`,
    parameters: [toGramQuery(search), ...condition.parameters, limit, offset],
  };
}

/** `LIMIT` and `OFFSET`: one item more than the page holds, which tells whether a next page exists. */
export function toWindow({ number, sizeMax }: PageRequest): { readonly limit: number; readonly offset: number } {
  return { limit: sizeMax + 1, offset: Math.min((number - 1) * sizeMax, Number.MAX_SAFE_INTEGER) };
}

/** @param items - At most one more than the page holds. */
export function toPage<Item>(items: readonly Item[], { sizeMax }: PageRequest): Page<Item> {
  return { items: items.slice(0, sizeMax), hasNext: items.length > sizeMax };
}

/**
 * Where one record ends and the next begins. Records are objects that hold no arrays; within a string JSON escapes quotes,
 * so this stands nowhere else.
 */
const BETWEEN_RECORDS = '},{"';

/** @returns Where the record in which `start` lies ends: at the comma before the next one, or at the end. */
export function findEndOfRecord(records: string, start: number): number {
  const end = records.indexOf(BETWEEN_RECORDS, start);
  return end === -1 ? records.length : end + 1;
}

/**
 * @param row - `records`, joined by commas, or `NULL` for none; and `count`, how many they are: at most one more than the
 *   page holds.
 */
export function toJsonPage(row: Row, { sizeMax }: PageRequest): JsonPage {
  const records = textOrNone(row, 'records') ?? '';
  const count = integer(row, 'count');
  const hasNext = count > sizeMax;
  const json = hasNext ? records.slice(0, records.lastIndexOf(BETWEEN_RECORDS) + 1) : records;
  return { json: `[${json}]`, count: Math.min(count, sizeMax), hasNext };
}
