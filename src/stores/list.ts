/**
 * Reads one page of a list, as JSON. Some statements read an index to find the ids of the page, and other
 * statements read the items with these ids. If an index finds only few rows for a condition, the service
 * reads and sorts only these rows. Each statement reads a limited number of rows, and other requests run
 * between two statements. Times in comments are CPU times with 100,000 users and 300,000 projects.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { raw, readRow, sql, type Database, type SqlValue, type Statement } from '../database/database.ts';
import { PROJECT_NAME_LENGTH_MAX, type NameKey } from '../model/name.ts';

export interface ListRequest {
  /** The first page has the number 1. */
  readonly page: { readonly number: number; readonly sizeMax: number };
  /** With `isByKey`, items are sorted by the column `key` of the list; otherwise, by id. */
  readonly sort: { readonly isByKey: boolean; readonly isDescending: boolean };
  /**
   * Searches compare the keys of names, so searches ignore case. An empty text matches every name. In a name
   * that matches, the prefix and the suffix do not overlap, as specified (`<prefix>%%<suffix>`).
   * If `contains` is not empty, `prefix` and `suffix` are empty.
   */
  readonly search: Readonly<Record<'contains' | 'prefix' | 'suffix', NameKey | ''>>;
}

export interface JsonPage extends Pick<ListRequest, 'page'> {
  /** The items as JSON, separated by commas. SQLite makes this text, and the service sends it unchanged. */
  readonly items: string;
  readonly count: number;
  /** The number of matches on all pages. If the service stops counting early, there can be more matches. */
  readonly total: number;
  readonly isTotalExact: boolean;
}

interface List extends ListRequest {
  readonly table: 'users' | 'projects' | 'tokens' | 'audit_events';
  /** A unique and indexed column, in which searches look for text. Items can be sorted by this column. */
  readonly key: 'id' | 'username_key' | 'name_key' | 'expiry_key';
  /** A condition that the list does not need is `false`, and is left out. */
  readonly conditions?: readonly (Statement | false)[];
  /** Conditions for which an index finds the matching rows. */
  readonly indexed: readonly (Statement | false)[];
  /** Reads the stored number of all items; absent if no number is stored. A search ignores this statement. */
  readonly total?: Statement | false | undefined;
  /** An SQL join with the other tables that an item needs. */
  readonly join?: string;
  /** An SQL expression that makes the JSON text of an item. */
  readonly item: string;
}

const columnOf = ({ sort, key }: List) => (sort.isByKey ? key : 'id');

/** Values of a column that are at least `from` and below `to`. If `to` is NULL, there is no upper limit. */
type Range = Readonly<Record<'from' | 'to', SqlValue>>;

/** Counting stops at this number of matches, or at the end of the requested page, whichever is later. */
const MATCHES_COUNTED_MAX = 1_000;

/** The maximum number of rows that a search reads in one step. Searching 300,000 names takes up to 0.3 s. */
const PART_ROWS = 2_000;

/** One statement skips or sorts at most this many rows, which takes up to 10 MB and 20 ms. */
const ROWS_AT_ONCE = 10_000;

/** The maximum number of items that one statement reads, to limit the JSON of projects to 5 MB. */
const ITEMS_AT_ONCE = 500;

export async function listJson(database: Database, given: List): Promise<JsonPage> {
  const list = { ...given, total: matchName(given) === false && given.total };
  const { number, sizeMax } = list.page;
  const start = Math.min((number - 1) * sizeMax, Number.MAX_SAFE_INTEGER - sizeMax);
  const end = start + sizeMax;
  const { parts, matches } = await findIds(database, list, start, end);
  const { items, count, storedTotal } = await readItems(database, list, parts);
  const countMax = Math.max(MATCHES_COUNTED_MAX, end);
  const isTotalExact = storedTotal !== undefined || matches <= countMax;
  const total = storedTotal ?? Math.min(matches, countMax + 1);
  return { page: list.page, items, count, total, isTotalExact };
}

/**
 * @returns The number of matches that were found, and statements that select the ids of the page in order. If
 * the database stores the number of all items, counting stops at the end of the page.
 */
async function findIds(database: Database, list: List, start: number, end: number) {
  const { sort, total } = list;
  const isWhole = conditionsOf(list).length === 0; // without conditions, every row is an item
  const wanted = total ? end : Math.max(MATCHES_COUNTED_MAX, end) + 1;
  let range = toRange(columnOf(list), list);
  let matches = 0;
  while (isWhole && matches < start) { // skipping 100,000 rows takes 1 ms
    const skipped = Math.min(ROWS_AT_ONCE, start - matches);
    const [last] = await database.read(sql`
      SELECT position FROM (${selectIn(list, range)} LIMIT 1 OFFSET ${skipped - 1})`, 'recent');
    if (last === undefined) {
      break;
    }
    range = toRest(list, range, last['position'] ?? null);
    matches += skipped;
    if (matches < start) { // a pause before each page would double the CPU time of a short list
      await nextTurn();
    }
  }
  if (isWhole && matches === start && total && end - start <= ITEMS_AT_ONCE) {
    // A single statement finds the ids and reads the items. For 100 projects, two statements would take 1.5
    // times as long.
    return { parts: [sql`SELECT id FROM (${selectIn(list, range)} LIMIT ${end - start})`], matches };
  }
  const narrower = await findNarrower(database, list);
  const rowsMax = narrower === undefined ? PART_ROWS : ROWS_AT_ONCE;
  const ids = new Set<number>(); // a search can find a row twice if the row's name changes meanwhile
  for (;; await nextTurn()) {
    const limit = isWhole ? Math.min(rowsMax, wanted - matches) : rowsMax;
    const [row = {}] = await database.read(sql`
      SELECT json_group_array(id) FILTER (WHERE is_item) AS ids, count(*) AS count,
        ${raw(sort.isDescending ? 'min' : 'max')}(position) AS last
      FROM (${selectIn(list, range, narrower)} LIMIT ${limit})`, 'recent');
    const { ids: json, count } = readRow(row, { ids: 'text', count: 'integer' });
    const found = JSON.parse(json) as readonly number[]; // `json_group_array` returns an array of ids
    found.slice(Math.max(0, start - matches), Math.max(0, end - matches)).forEach((id) => ids.add(id));
    matches += found.length;
    if (count < limit || matches >= wanted) {
      return { parts: toParts([...ids]), matches };
    }
    range = toRest(list, range, row['last'] ?? null);
  }
}

/** Finds a query that returns all ids of the list, and perhaps more, but at most `ROWS_AT_ONCE` ids. */
async function findNarrower(database: Database, list: List): Promise<Statement | undefined> {
  const { table, key, indexed } = list;
  const { from, to } = toRange(key, list);
  const isInRange = to !== null && key !== columnOf(list)
    && sql`${raw(key)} >= ${from} AND ${raw(key)} < ${to}`;
  const narrower = [...indexed, isInRange].map((condition) =>
    condition && sql`SELECT id FROM ${raw(table)} WHERE ${condition}`);
  const trigrams = table === 'users' && matchTrigrams(list);
  for (const ids of [...narrower, trigrams].filter((statement) => statement !== false)) {
    const [row = {}] = await database.read(sql`
      SELECT count(*) AS count FROM (${ids} LIMIT ${ROWS_AT_ONCE + 1})`, 'recent');
    if (readRow(row, { count: 'integer' }).count <= ROWS_AT_ONCE) {
      return ids;
    }
  }
  return undefined;
}

/**
 * `LIMIT -1` makes SQLite run the query `narrower` first. Otherwise, SQLite would read all rows in order,
 * which takes 90 ms.
 */
function selectIn(list: List, { from, to }: Range, narrower?: Statement): Statement {
  const { table, sort } = list;
  const column = raw(columnOf(list));
  const isItem = conditionsOf(list).reduce((left, right) => sql`${left} AND ${right}`, raw('TRUE'));
  const source = narrower === undefined
    ? raw(table)
    : sql`(${narrower} LIMIT -1) CROSS JOIN ${raw(table)} USING (id)`;
  const end = to === null ? raw('') : sql`AND ${column} < ${to}`;
  return sql`SELECT id, ${column} AS position, ${isItem} AS is_item
    FROM ${source} WHERE ${column} >= ${from} ${end}
    ORDER BY ${column} ${raw(sort.isDescending ? 'DESC' : 'ASC')}`;
}

/** The part of the range after `last`. No name sorts between `last` and the text `last` + U+0001. */
function toRest({ sort }: List, { from, to }: Range, last: SqlValue): Range {
  return sort.isDescending
    ? { from, to: last }
    : { from: typeof last === 'number' ? last + 1 : `${last}\u0001`, to };
}

/** Returns a part even for an empty page, because the query of a part also reads the total of the list. */
function toParts(ids: readonly number[]): readonly Statement[] {
  return Array.from({ length: Math.ceil(ids.length / ITEMS_AT_ONCE) || 1 }, (_, part) => {
    const some = ids.slice(part * ITEMS_AT_ONCE, (part + 1) * ITEMS_AT_ONCE);
    return sql`SELECT value AS id FROM json_each(${JSON.stringify(some)})`;
  });
}

/**
 * Leaves out items that were deleted after the ids were read. The total can include items that were created
 * after the ids were read.
 */
async function readItems(
  database: Database, { table, join = '', item, total }: List, parts: readonly Statement[],
) {
  const texts: string[] = [];
  let [count, storedTotal] = [0, 0];
  for (const ids of parts) {
    const [row = {}] = await database.read(sql`
      SELECT count(*) AS count, group_concat(item) AS items, coalesce((${total || 0}), 0) AS total FROM (
        SELECT ${raw(item)} AS item
        FROM (${ids}) CROSS JOIN ${raw(table)} USING (id) ${raw(join)}
      )`, 'recent');
    const part = readRow(row, { items: 'text or null', count: 'integer', total: 'integer' });
    texts.push(part.items ?? '');
    count += part.count;
    storedTotal = part.total;
    if (parts.length > 1) {
      await nextTurn(); // lets other requests run after each part of the list
    }
  }
  const items = texts.filter((text) => text !== '').join(',');
  return { items, count, storedTotal: total ? storedTotal : undefined };
}

function conditionsOf(list: List): readonly Statement[] {
  const { conditions = [], indexed } = list;
  return [matchName(list), ...conditions, ...indexed].filter((condition) => condition !== false);
}

/** Unlike `LIKE`, the functions `instr` and `substr` have no wildcards. */
function matchName({ search: { contains, prefix, suffix }, key: column }: List): Statement | false {
  const key = raw(column);
  if (contains !== '') {
    return sql`instr(${key}, ${contains}) > 0`;
  }
  const [before, after] = [Array.from(prefix).length, Array.from(suffix).length];
  return before + after > 0 && sql`length(${key}) >= ${before + after}
    AND substr(${key}, 1, ${before}) = ${prefix}
    AND substr(${key}, length(${key}) - ${after} + 1) = ${suffix}`;
}

/** With a prefix, the range contains every name that begins with the prefix. */
function toRange(column: string, { search: { prefix }, key }: List): Range {
  return prefix === '' || key !== column
    ? { from: column === 'id' ? 0 : '', to: null }
    : { from: prefix, to: prefix + '\u{10ffff}'.repeat(PROJECT_NAME_LENGTH_MAX + 1) };
}

/** The column `marked_key` has these characters around each name. No name contains these characters. */
const [START, END] = ['\u0002', '\u0003'];

/** The maximum number of trigrams in a search. A few trigrams exclude nearly all names in little time. */
const TRIGRAMS_MAX = 6;

/**
 * Finds users by a full-text index of trigrams. A trigram is three consecutive characters, such as `da›` in
 * `‹ada›`. The index stores no positions, so a name can contain all trigrams of a search text, but not the
 * text itself. An index of project names would make the creation of projects 20 % slower.
 */
function matchTrigrams({ search: { contains, prefix, suffix } }: List): Statement | false {
  const texts = [contains, prefix && START + prefix, suffix && suffix + END];
  // In quotes, a trigram cannot be an operator of FTS5. U+0001 replaces NUL, which would end the query.
  const query = texts.flatMap(toTrigrams)
    .map((trigram) => `"${trigram.replaceAll('"', '""').replaceAll('\0', '\u0001')}"`).join(' AND ');
  return query !== '' && sql`SELECT rowid AS id FROM users_search WHERE users_search MATCH ${query}`;
}

function toTrigrams(text: string): readonly string[] {
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
  const step = Math.ceil(trigrams.length / TRIGRAMS_MAX);
  return trigrams.filter((_, at) => at % step === 0);
}
