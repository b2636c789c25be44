/**
 * One page of any table, as JSON text: users, projects, tokens, and the audit trail.
 *
 * A list is rows with conditions, an expression for the JSON of an item, an order, and a page. Its total is
 * exact if a counter has it, else up to `MATCHES_COUNTED_MAX`. The ids of a page are found first, then the
 * items are read. Each statement reads a bounded number of rows, so a long search and a long page take
 * several, and other requests run in between.
 */
import { setImmediate } from 'node:timers/promises';
import {
  integerOf, textOf, textOrNone, type Database, type SqlValue, type Statement,
} from '../database/database.ts';
import type { JsonPage, PageRequest, Total } from '../model/page.ts';

interface List {
  readonly table: 'users' | 'projects' | 'tokens' | 'audit_events';
  /** An expression on a row of the table: the item as JSON text. */
  readonly item: string;
  /** The most bytes of an item. */
  readonly itemBytesMax: number;
  /** The rows of the source that meet all of them are the items. */
  readonly conditions: readonly Statement[];
  /** One column suffices, because its values are unique. */
  readonly order: {
    readonly column: 'id' | 'username_key' | 'name_key' | 'expiry_key';
    readonly isDescending: boolean;
  };
  readonly page: PageRequest;
  /** Reads the number of items, if a counter has it. */
  readonly total?: Statement | undefined;
  /** Each selects the ids of all items, and perhaps of others. Used if it selects few ids. */
  readonly candidates: readonly Statement[];
  readonly source: Source;
}

/** Rows in the order of the list, which can be read from any position on. */
export interface Source {
  /** A `SELECT` of ids, positions, and the columns of the conditions, which ends with a condition. */
  readonly select: Statement;
  /** The name of the column of the order in `select`. */
  readonly position: string;
  /** The table that has the columns of the conditions, if `select` has only ids. */
  readonly join?: string;
  /** No item has a position outside of it. */
  readonly range?: Range | undefined;
}

interface Range {
  /** The first position; NULL if there is none. */
  readonly from: SqlValue;
  /** The first position after the range; NULL if the range has no end. */
  readonly before: SqlValue;
}

/** Matches are counted up to this number. Beyond it the total is a lower bound, except on the last page. */
const MATCHES_COUNTED_MAX = 1_000;

/** The rows that one statement skips: with the longest names, an index of 10,000 rows has 10 MB. */
const ROWS_SKIPPED = 10_000;

/** The most rows that are compared and sorted at once. */
const CANDIDATES_MAX = 10_000;

/** The rows of one part of a walk. */
const PART_ROWS = 2_000;

/** The most bytes of items that one statement makes, so that no turn takes 50 ms. */
const BYTES_AT_ONCE = 5_000_000;

interface Found {
  /** Statements that select the ids of a page in order, each at most as many as can be read at once. */
  readonly parts: readonly Statement[];
  /** The number of all matches, as far as they were counted. */
  readonly matches: number;
}

export async function listJson(database: Database, list: List): Promise<JsonPage> {
  const { parts, matches } = await find(database, list);
  const { items, count } = await readItems(database, list, parts);
  const total = await readTotal(database, list, matches); // last, so that `hasNext` counts later items
  return { items, count, hasNext: toOffset(list.page) + list.page.sizeMax < total.count, total };
}

/** The figures are CPU times with 100,000 users and 300,000 projects. */
async function find(database: Database, list: List): Promise<Found> {
  const plan = await choosePlan(database, list);
  switch (plan.kind) {
    case 'skip': // the first 50 of 100,000 users: 10 us; the last: 1 ms
      return skipTo(database, list);
    case 'few': // 10,000 candidates: 20 ms
      return findFew(database, list, plan.candidates);
    case 'walk': // the first 50 of many matches: 0.3 ms; no match in 300,000 names: 0.3 s in 150 parts
      return walk(database, list);
  }
}

type Plan =
  | { readonly kind: 'skip' }
  | { readonly kind: 'few'; readonly candidates: Statement }
  | { readonly kind: 'walk' };

async function choosePlan(database: Database, { total, conditions, candidates }: List): Promise<Plan> {
  if (total !== undefined && conditions.length === 0) {
    return { kind: 'skip' };
  }
  for (const statement of candidates) {
    const [row] = await database.read(countUpTo(CANDIDATES_MAX, statement), 'recent');
    if (row !== undefined && integerOf(row, 'is_exact') === 1) {
      return { kind: 'few', candidates: statement };
    }
  }
  return { kind: 'walk' };
}

/** @returns A statement whose only row has the columns `count`, at most `max`, and `is_exact`. */
function countUpTo(max: number, { sql, parameters }: Statement): Statement {
  return {
    sql: `
      SELECT min(count(*), ${max}) AS count, count(*) <= ${max} AS is_exact
      FROM (${sql} LIMIT 0 + ${max + 1})`,
    parameters,
  };
}

/**
 * All rows of the source are items, and a counter has their number.
 *
 * `LIMIT` and `OFFSET` are expressions: SQLite plans with the value of a bare `?`, and so would prepare the
 * statement again for each execution, which takes longer than to read 50 ids.
 */
async function skipTo(database: Database, list: List): Promise<Found> {
  let range = toStart(list);
  let offset = toOffset(list.page);
  while (offset > ROWS_SKIPPED) {
    const { sql, parameters } = selectWithin(list, range, 'LIMIT 1 OFFSET 0 + ?');
    const [row] = await database.read({
      sql: `SELECT ${list.order.column} AS position FROM (${sql})`,
      parameters: [...parameters, ROWS_SKIPPED - 1],
    }, 'recent');
    if (row === undefined) {
      return { parts: [], matches: 0 };
    }
    range = toRest(list, range, row['position'] ?? null);
    offset -= ROWS_SKIPPED;
    await setImmediate();
  }
  const { sql, parameters } = selectWithin(list, range, 'LIMIT 0 + ? OFFSET 0 + ?');
  const ids = { sql: `SELECT id FROM (${sql})`, parameters: [...parameters, list.page.sizeMax, offset] };
  const isOnePart = list.page.sizeMax <= toItemsAtOnce(list);
  return { parts: isOnePart ? [ids] : toParts(list, await readIds(database, ids)), matches: 0 };
}

async function findFew(database: Database, list: List, candidates: Statement): Promise<Found> {
  const { table, conditions, order, page } = list;
  const condition = join(conditions);
  const ids = await readIds(database, {
    sql: `
      SELECT id FROM ${table} WHERE id IN (${candidates.sql}) AND ${condition.sql} ORDER BY ${toTerm(order)}`,
    parameters: [...candidates.parameters, ...condition.parameters],
  });
  const shown = ids.slice(toOffset(page), toOffset(page) + page.sizeMax);
  return { parts: toParts(list, shown), matches: ids.length };
}

async function readIds(database: Database, { sql, parameters }: Statement): Promise<readonly number[]> {
  const [row = {}] = await database.read({
    sql: `SELECT json_group_array(id) AS ids FROM (${sql})`, parameters,
  }, 'recent'); // an aggregate always has one row
  return parseIds(textOf(row, 'ids'));
}

/** Goes through the source in order, until the page is full and the matches are counted. */
async function walk(database: Database, list: List): Promise<Found> {
  const { conditions, order, page, source: { join: table } } = list;
  const condition = join(conditions);
  const [start, end] = [toOffset(page), toOffset(page) + page.sizeMax];
  const ids = new Set<number>(); // a row that is renamed meanwhile may come twice
  let matches = 0;
  let range = toStart(list);
  for (;;) {
    const rows = selectWithin(list, range, `LIMIT 0 + ${PART_ROWS}`);
    const [row = {}] = await database.read({
      sql: `
        SELECT json_group_array(id) FILTER (WHERE ${condition.sql}) AS ids, count(*) AS count,
          ${order.isDescending ? 'min' : 'max'}(${order.column}) AS last
        FROM (${rows.sql}) ${table === undefined ? '' : `CROSS JOIN ${table} USING (id)`}`,
      parameters: [...condition.parameters, ...rows.parameters],
    }, 'recent');
    const found = parseIds(textOf(row, 'ids'));
    found.slice(Math.max(0, start - matches), Math.max(0, end - matches)).forEach((id) => ids.add(id));
    matches += found.length;
    if (integerOf(row, 'count') < PART_ROWS || matches > toCountMax(page)) {
      return { parts: toParts(list, [...ids]), matches };
    }
    range = toRest(list, range, row['last'] ?? null);
    await setImmediate(); // other requests run between two parts
  }
}

/** @returns The rows of the source in a range, in order, up to a `LIMIT`. */
function selectWithin(
  { source: { select, position }, order }: List, { from, before }: Range, limit: string,
): Statement {
  const [end, ...last] = before === null ? [''] : [`AND ${position} < ?`, before];
  return {
    sql: `
      ${select.sql} AND ${position} >= ? ${end}
      ORDER BY ${position} ${order.isDescending ? 'DESC' : 'ASC'} ${limit}`,
    parameters: [...select.parameters, from, ...last],
  };
}

function toStart({ source, order }: List): Range {
  return source.range ?? { from: order.column === 'id' ? 0 : '', before: null };
}

/** @returns The range after a position, in the order of the list. No name contains U+0001. */
function toRest({ order }: List, { from, before }: Range, last: SqlValue): Range {
  if (order.isDescending) {
    return { from, before: last };
  }
  return { from: typeof last === 'number' ? last + 1 : `${last}\u0001`, before };
}

/** @param matches - The matches that were counted, for a list without a counter. */
async function readTotal(database: Database, { total, page }: List, matches: number): Promise<Total> {
  if (total !== undefined) {
    const [row = { total: 0 }] = await database.read(total, 'recent'); // no row: the owner is gone
    return { count: integerOf(row, 'total'), relation: 'exact' };
  }
  const max = toCountMax(page);
  return matches > max ? { count: max + 1, relation: 'at_least' } : { count: matches, relation: 'exact' };
}

/** An item that was deleted meanwhile is left out. */
async function readItems(database: Database, { table, item, order }: List, parts: readonly Statement[]) {
  const texts: string[] = [];
  let count = 0;
  for (const { sql, parameters } of parts) {
    const [row = {}] = await database.read({
      sql: `
        SELECT count(*) AS count, group_concat(item) AS items FROM (
          SELECT ${item} AS item FROM (${sql}) CROSS JOIN ${table} USING (id) ORDER BY ${toTerm(order)}
        )`,
      parameters,
    }, 'recent');
    texts.push(textOrNone(row, 'items') ?? '');
    count += integerOf(row, 'count');
    if (parts.length > 1) {
      await setImmediate(); // after the last one as well, because a long response takes as long again
    }
  }
  return { items: texts.filter((text) => text !== '').join(','), count };
}

function toParts(list: List, ids: readonly number[]): readonly Statement[] {
  const size = toItemsAtOnce(list);
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => ({
    sql: 'SELECT value AS id FROM json_each(?)',
    parameters: [JSON.stringify(ids.slice(part * size, (part + 1) * size))],
  }));
}

function toItemsAtOnce({ itemBytesMax }: List): number {
  return Math.floor(BYTES_AT_ONCE / itemBytesMax);
}

function toCountMax(page: PageRequest): number {
  return Math.max(MATCHES_COUNTED_MAX, toOffset(page) + page.sizeMax);
}

function toOffset({ number, sizeMax }: PageRequest): number {
  return Math.min((number - 1) * sizeMax, Number.MAX_SAFE_INTEGER - sizeMax);
}

function toTerm({ column, isDescending }: List['order']): string {
  return `${column} ${isDescending ? 'DESC' : 'ASC'}`;
}

function join(conditions: readonly Statement[]): Statement {
  return {
    sql: ['TRUE', ...conditions.map(({ sql }) => sql)].join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

function parseIds(json: string): readonly number[] {
  return JSON.parse(json) as readonly number[]; // `json_group_array` of ids
}
