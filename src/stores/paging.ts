/**
 * Finds the rows of a page exactly, even after deletions.
 *
 * A page of a whole table in order of ids is a range of ids. To find it without reading all earlier pages,
 * ids are counted in blocks of 8192 (`user_blocks`, `project_blocks`; 122 blocks for a million rows). The
 * running sum of the counts tells in which block an offset lies and how many rows stand before that block;
 * only the rest is skipped, in an index that holds nothing but ids. So the cost of a page grows with the
 * blocks before it, not with the rows.
 */
import type { SqlValue, Statement } from '../database/database.ts';
import type { NameSearch, TextSearch } from '../model/name.ts';
import type { Page, PageRequest, SortOrder } from '../model/page.ts';
import { toGramQuery } from './grams.ts';
import { toCondition } from './search.ts';

type Table = 'users' | 'projects';

/** A part of a statement, with the values of its `?` in order. */
type Fragment = Statement;

/** The rows of a page, as parts of a statement. */
export interface PageSource {
  /** The SQL after `WITH`; all parameters stand here. */
  readonly with: Fragment;
  /** The SQL after `FROM`: the rows of the table that are on the page. */
  readonly rows: string;
  /** The term of `ORDER BY` that puts these rows in order. */
  readonly order: string;
  /** An expression that is 1 when at least one item follows the page. */
  readonly hasNext: string;
}

interface PageQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  /** The term of `ORDER BY`; `undefined` for the order of ids. */
  readonly order: string | undefined;
  /** Only the projects of this user. */
  readonly ownerId?: number | undefined;
}

/** As in the triggers of schema.ts. */
const BLOCK_BITS = 13;

export function findPage(table: Table, { search, page, order, ownerId }: PageQuery): PageSource {
  if (search.kind === 'all' && order === undefined && ownerId === undefined) {
    return toSpan(table, page);
  }
  return toSelection(table, page, { order, ids: selectIds(table, { search, page, order, ownerId }) });
}

function toSpan(table: Table, page: PageRequest): PageSource {
  const { sizeMax } = page;
  const first = selectFirst(table, toWindow(page).offset);
  return {
    with: {
      sql: `
        span (first, last) AS MATERIALIZED (
          SELECT first, coalesce(
            (SELECT id FROM ${table} INDEXED BY ${table}_by_id WHERE id >= first
             ORDER BY id LIMIT 1 OFFSET ?),
            (SELECT max(id) FROM ${table})
          )
          FROM (${first.sql})
        )`,
      parameters: [sizeMax - 1, ...first.parameters],
    },
    rows: `${table} WHERE ${table}.id BETWEEN (SELECT first FROM span) AND (SELECT last FROM span)`,
    order: `${table}.id`,
    hasNext: `coalesce((SELECT last FROM span) < (SELECT max(id) FROM ${table}), 0)`,
  };
}

function selectFirst(table: Table, offset: number): Fragment {
  const ids = `SELECT id AS first FROM ${table} INDEXED BY ${table}_by_id`;
  if (offset < 2 ** BLOCK_BITS) {
    return { sql: `${ids} ORDER BY id LIMIT 1 OFFSET ?`, parameters: [offset] };
  }
  const blocks = table === 'users' ? 'user_blocks' : 'project_blocks';
  return {
    sql: `
      WITH start (block, before) AS MATERIALIZED (
        SELECT block, before
        FROM (SELECT block, sum(count) OVER (ORDER BY block) - count AS before FROM ${blocks})
        WHERE before <= ? ORDER BY before DESC, block DESC LIMIT 1
      )
      ${ids} WHERE id >= (SELECT block << ${BLOCK_BITS} FROM start)
      ORDER BY id LIMIT 1 OFFSET ? - coalesce((SELECT before FROM start), 0)`,
    parameters: [offset, offset],
  };
}

/** Numbers the rows of the page and the next row, which only tells whether the page is the last. */
function toSelection(
  table: Table,
  { sizeMax }: PageRequest,
  { order, ids }: { readonly order: string | undefined; readonly ids: Fragment },
): PageSource {
  const places = order === undefined
    ? `SELECT id, id FROM (${ids.sql})`
    : `SELECT ${table}.id, row_number() OVER (ORDER BY ${order})
       FROM (${ids.sql}) CROSS JOIN ${table} USING (id)`;
  return {
    with: {
      sql: `
        page (id, place) AS MATERIALIZED (${places}),
        beyond (place) AS MATERIALIZED (SELECT max(place) FROM page HAVING count(*) > ?)`,
      parameters: [...ids.parameters, sizeMax],
    },
    rows: `
      page CROSS JOIN ${table} USING (id)
      WHERE page.place < coalesce((SELECT place FROM beyond), ${Number.MAX_SAFE_INTEGER})`,
    order: 'page.place',
    hasNext: 'EXISTS (SELECT 1 FROM beyond)',
  };
}

function selectIds(table: Table, { search, page, order, ownerId }: PageQuery): Fragment {
  if (table === 'users' && search.kind !== 'all') {
    return selectFoundUsers(search, page, order);
  }
  const conditions = [
    toCondition(search, 'name_key'),
    ...(ownerId === undefined ? [] : [{ sql: 'owner_id = ?', parameters: [ownerId] }]),
  ];
  const { limit, offset } = toWindow(page);
  return {
    sql: `
      SELECT id FROM ${table} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY ${order ?? 'id'} LIMIT ? OFFSET ?`,
    parameters: [...conditions.flatMap(({ parameters }): readonly SqlValue[] => parameters), limit, offset],
  };
}

/**
 * The bounds are expressions: with a bare `LIMIT ?`, SQLite passes the value to the virtual table when it
 * plans, and would prepare the statement again for each execution.
 */
function selectFoundUsers(search: TextSearch, page: PageRequest, order = 'users_search.rowid'): Fragment {
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

/**
 * The term of `ORDER BY`; columns are unique, so one column decides the order.
 *
 * @param columns - The column of each key, as it is written in the statement.
 * @returns `undefined` for the order of ids, which has faster statements.
 */
export function toOrderTerm<Key extends string>(
  { by, isDescending }: SortOrder<Key>,
  columns: Readonly<Record<Key | 'id', string>>,
): string | undefined {
  const isById = columns[by] === columns.id && !isDescending;
  return isById ? undefined : `${columns[by]} ${isDescending ? 'DESC' : 'ASC'}`;
}

/** `LIMIT` and `OFFSET`: one item more than the page holds, which tells whether a next page exists. */
export function toWindow(
  { number, sizeMax }: PageRequest,
): { readonly limit: number; readonly offset: number } {
  return { limit: sizeMax + 1, offset: Math.min((number - 1) * sizeMax, Number.MAX_SAFE_INTEGER) };
}

/** @param items - At most one more than the page holds. */
export function toPage<Item>(items: readonly Item[], { sizeMax }: PageRequest): Page<Item> {
  return { items: items.slice(0, sizeMax), hasNext: items.length > sizeMax };
}
