/**
 * Finds the rows of a page exactly, even after deletions.
 *
 * A page of a whole table in order of ids is a range of ids. To find it without reading all earlier pages,
 * ids are counted in blocks of 8192 (`user_blocks`, `project_blocks`; 122 blocks for a million rows). The
 * running sum of the counts tells in which block an offset lies and how many rows stand before that block.
 * Only the rows between the start of the block and the offset are skipped, in an index that holds little but
 * ids. So the cost of a page grows with the blocks before it, not with the rows.
 *
 * The blocks also give the number of items on all pages, unless the list is a search: see totals.ts.
 */
import type { Statement } from '../database/database.ts';
import type { TextSearch } from '../model/name.ts';
import type { PageRequest, SortOrder } from '../model/page.ts';
import { toGramQuery } from './grams.ts';
import { BLOCKS, toCondition, toRows, type RowQuery, type RowSet, type Table } from './search.ts';
import { countMatches, isCostlyToCount } from './totals.ts';

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
  /** The column that `toTotal` reads. @param count - An expression: the number of items on the page. */
  readonly total: (count: string) => string;
}

interface PageQuery extends RowQuery {
  readonly page: PageRequest;
  /** The term of `ORDER BY`; `undefined` for the order of ids. */
  readonly order: string | undefined;
}

/** A block holds 2^13 ids, also in the triggers of schema.ts. */
const BLOCK_BITS = 13;

/** The literal 1, known to SQLite when it plans. As a parameter, it would double the time of a page of 50. */
const ONE: Fragment = { sql: '1', parameters: [] };

export function findPage(table: Table, query: PageQuery): PageSource {
  const { search, page, order, ownerId, among } = query;
  const isPart = search.kind !== 'all' || ownerId !== undefined || among !== undefined;
  const source = isPart || order !== undefined
    ? toSelection(table, page, { order, ids: selectIds(table, query) })
    : toSpan(table, page);
  const matches = countMatches(table, query);
  const total = '(SELECT total FROM matches)';
  return {
    ...source,
    with: {
      sql: `${source.with.sql}, matches AS (${matches.sql})`,
      parameters: [...source.with.parameters, ...matches.parameters],
    },
    total: (count) => isCostlyToCount(query)
      ? `iif(${source.hasNext} OR ${count} = 0, ${total}, NULL) AS total`
      : `${total} AS total`,
  };
}

function toSpan(table: Table, page: PageRequest): Omit<PageSource, 'total'> {
  const { sizeMax } = page;
  const first = selectById(table, { limit: ONE, offset: toWindow(page).offset });
  return {
    with: {
      sql: `
        span (first, last) AS MATERIALIZED (
          SELECT id, coalesce(
            (SELECT id FROM ${table} INDEXED BY ${table}_by_id WHERE id >= start.id
             ORDER BY id LIMIT 1 OFFSET ?),
            (SELECT max(id) FROM ${table})
          )
          FROM (${first.sql}) AS start
        )`,
      parameters: [sizeMax - 1, ...first.parameters],
    },
    rows: `${table} WHERE ${table}.id BETWEEN (SELECT first FROM span) AND (SELECT last FROM span)`,
    order: `${table}.id`,
    hasNext: `coalesce((SELECT last FROM span) < (SELECT max(id) FROM ${table}), 0)`,
  };
}

/** Selects the ids of a window of rows, in ascending or descending order of ids. */
function selectById(
  table: Table,
  { among, isDescending = false, limit, offset }: {
    readonly among?: RowSet | undefined; readonly isDescending?: boolean;
    readonly limit: Fragment; readonly offset: number;
  },
): Fragment {
  const { index, isInIndex, condition } = among ?? toWholeTable(table);
  const ids = `SELECT id FROM ${table} INDEXED BY ${index} WHERE ${isInIndex} AND ${condition.sql}`;
  const [direction, opposite] = isDescending ? ['DESC', 'ASC'] : ['ASC', 'DESC'];
  // In the first block there is nothing to skip, unless a filter leaves whole blocks empty.
  if (among === undefined && offset < 2 ** BLOCK_BITS) {
    return {
      sql: `${ids} ORDER BY id ${direction} LIMIT ${limit.sql} OFFSET ?`,
      parameters: [...condition.parameters, ...limit.parameters, offset],
    };
  }
  const isFromStart = isDescending
    ? `id < (SELECT (block + 1) << ${BLOCK_BITS} FROM start)`
    : `id >= (SELECT block << ${BLOCK_BITS} FROM start)`;
  return {
    sql: `
      WITH start (block, before) AS MATERIALIZED (
        SELECT block, before
        FROM (
          SELECT block, sum(sum(count)) OVER (ORDER BY block ${direction}) - sum(count) AS before
          FROM ${BLOCKS[table]} WHERE ${condition.sql} GROUP BY block
        )
        WHERE before <= ? ORDER BY before DESC, block ${opposite} LIMIT 1
      )
      ${ids} AND ${isFromStart}
      ORDER BY id ${direction} LIMIT ${limit.sql} OFFSET ? - coalesce((SELECT before FROM start), 0)`,
    parameters: [
      ...condition.parameters, offset, ...condition.parameters, ...limit.parameters, offset,
    ],
  };
}

function toWholeTable(table: Table): RowSet {
  return { condition: { sql: 'TRUE', parameters: [] }, index: `${table}_by_id`, isInIndex: 'TRUE' };
}

/** Numbers the rows of the page and the next row, which only tells whether the page is the last. */
function toSelection(
  table: Table,
  { sizeMax }: PageRequest,
  { order, ids }: { readonly order: string | undefined; readonly ids: Fragment },
): Omit<PageSource, 'total'> {
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

function selectIds(table: Table, query: PageQuery): Fragment {
  const { search, page, order, ownerId, among, ids, names } = query;
  const isDescending = order === `${table}.id DESC`;
  if (search.kind === 'all' && (order === undefined || isDescending) && ownerId === undefined) {
    const { limit, offset } = toWindow(page);
    return selectById(table, { among, isDescending, limit: { sql: '?', parameters: [limit] }, offset });
  }
  if (table === 'users' && search.kind !== 'all' && ids === undefined && names === undefined) {
    return selectFoundUsers({ ...query, search });
  }
  const { sql, parameters } = toRows(table, query);
  const { limit, offset } = toWindow(page);
  return {
    sql: `SELECT ${table}.id FROM ${sql} ORDER BY ${order ?? `${table}.id`} LIMIT ? OFFSET ?`,
    parameters: [...parameters, limit, offset],
  };
}

/**
 * Selects the users that a search finds. `LIMIT` and `OFFSET` are expressions: SQLite would pass the value of
 * a bare `LIMIT ?` to the virtual table when it plans, and so prepare the statement for each execution.
 */
function selectFoundUsers(
  { search, page, order = 'users_search.rowid', among }: PageQuery & { readonly search: TextSearch },
): Fragment {
  const conditions = [
    toCondition(search, 'users.username_key'), ...(among === undefined ? [] : [among.condition]),
  ];
  const { limit, offset } = toWindow(page);
  // FTS5 delivers its rows in either order, but only by its own name for the id.
  const term = order === 'users.id DESC' ? 'users_search.rowid DESC' : order;
  return {
    sql: `
      SELECT users.id
      FROM users_search CROSS JOIN users ON users.id = users_search.rowid
      WHERE users_search MATCH ? AND ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY ${term} LIMIT 0 + ? OFFSET 0 + ?`,
    parameters: [
      toGramQuery(search), ...conditions.flatMap(({ parameters }) => parameters), limit, offset,
    ],
  };
}

/**
 * Makes the term of `ORDER BY`. One column suffices, because the values of each column are unique.
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
