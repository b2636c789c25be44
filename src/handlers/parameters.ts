/** Reads the parameters that routes share: `page` and `items_per_page`, the search texts, `sort`, and ids or names in paths. */
import { jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Query } from '../http/query.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import { isIdText, toNameKey, type NameSearch } from '../model/name.ts';
import type { JsonPage, Page, PageRequest, SortOrder } from '../model/page.ts';
import { problems } from '../problems.ts';
import { ITEMS_PER_PAGE_MAX, toSortWords } from '../schemas/parameters.ts';

/**
 * Reads several parameters.
 *
 * @returns What each reader returns, in their order.
 * @throws HttpProblem that names everything that is invalid, not the first alone.
 */
export function readAll<Values extends readonly unknown[]>(
  ...readers: { readonly [Index in keyof Values]: () => Values[Index] }
): Values {
  const faults: string[] = [];
  const values = readers.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof HttpProblem)) {
        throw error;
      }
      faults.push(error.detail);
      return undefined;
    }
  });
  if (faults.length > 0) {
    throw problems.invalidParameters(faults);
  }
  return values as unknown as Values; // each is what its reader returned
}

/** @returns The value of a parameter, or `undefined` when it is absent. @throws HttpProblem when it is there twice. */
function readParameter(query: Query, name: string): string | undefined {
  const values = query.get(name) ?? [];
  if (values.length > 1) {
    throw problems.invalidParameter(name, 'it once at most');
  }
  return values[0];
}

/** @returns An integer from `min` to `max`, or `undefined` when the parameter is absent. */
export function readInteger(
  query: Query,
  { name, min, max }: { readonly name: string; readonly min: number; readonly max: number },
): number | undefined {
  const text = readParameter(query, name);
  if (text === undefined) {
    return undefined;
  }
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) {
    return value;
  }
  throw problems.invalidParameter(name, `an integer from ${min} to ${max}`);
}

/** A text that is empty counts as not given. */
export function readText(query: Query, name: string): string | undefined {
  const text = readParameter(query, name);
  return text === '' ? undefined : text;
}

/** RFC 3339 §5.6, years 0000 to 9999. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** @returns An instant, whose offset may be any, or `undefined` when the parameter is absent or empty. */
export function readInstant(query: Query, name: string): Timestamp | undefined {
  const text = readText(query, name);
  if (text === undefined) {
    return undefined;
  }
  const instantMs = INSTANT.test(text) ? Date.parse(text) : NaN;
  if (!(instantMs >= Date.parse('0000-01-01T00:00:00Z') && instantMs <= Date.parse('9999-12-31T23:59:59.999Z'))) {
    throw problems.invalidParameter(name, 'an instant such as 2026-01-31T12:00:00Z');
  }
  return toTimestamp(instantMs);
}

/** @returns One of the words, or `undefined` when the parameter is absent or empty. */
export function readWord<Word extends string>(query: Query, name: string, words: readonly Word[]): Word | undefined {
  const text = readText(query, name);
  const word = words.find((candidate) => candidate === text);
  if (text !== undefined && word === undefined) {
    throw problems.invalidParameter(name, `one of ${words.join(', ')}`);
  }
  return word;
}

/**
 * The order of a list: a key, or with a minus before it the same downwards; by id unless the parameter is given.
 *
 * @param keys - By which lists of this kind can be sorted.
 */
export function readSort<Key extends string>(query: Query, keys: readonly Key[]): SortOrder<Key | 'id'> {
  const all: readonly (Key | 'id')[] = ['id', ...keys];
  const word = readWord(query, 'sort', toSortWords(keys)) ?? 'id';
  const by = all.find((key) => key === word || `-${key}` === word) ?? 'id';
  return { by, isDescending: word !== by };
}

export function readPage(query: Query): PageRequest {
  const [number, sizeMax] = readAll(
    () => readInteger(query, { name: 'page', min: 1, max: Number.MAX_SAFE_INTEGER }),
    () => readInteger(query, { name: 'items_per_page', min: 1, max: ITEMS_PER_PAGE_MAX }),
  );
  return { number: number ?? 1, sizeMax: sizeMax ?? ITEMS_PER_PAGE_MAX };
}

/** `contains` wins over the other two, as the specification has it. */
export function readSearch(query: Query): NameSearch {
  const [contains, prefix, suffix] = ['contains', 'starts_with', 'ends_with'].map((name) => readText(query, name));
  if (contains !== undefined) {
    return { kind: 'contains', text: toNameKey(contains) };
  }
  if (prefix === undefined && suffix === undefined) {
    return { kind: 'all' };
  }
  return { kind: 'affixes', prefix: toNameKey(prefix ?? ''), suffix: toNameKey(suffix ?? '') };
}

/** @param toRecord - Makes what is shown of an item. */
export function toJsonPage<Item>({ items, hasNext }: Page<Item>, toRecord: (item: Item) => unknown): JsonPage {
  return {
    items: items.map((item) => JSON.stringify(toRecord(item))).join(','), count: items.length, hasNext,
  };
}

/** A page of a list under its member name, with header fields that say where it is and link to others (RFC 8288). */
export function toListReply(
  member: 'users' | 'projects' | 'tokens' | 'audit_events',
  { path, query }: HttpRequest,
  page: PageRequest,
  { items, count, hasNext }: JsonPage,
): Reply {
  const others = [...query]
    .filter(([name]) => name !== 'page' && name !== 'items_per_page')
    .flatMap(([name, values]) => values.map((value) => `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`))
    .join('');
  const links = [toLink(1, 'first')];
  if (page.number > 1) {
    links.push(toLink(page.number - 1, 'prev'));
  }
  if (hasNext) {
    links.push(toLink(page.number + 1, 'next'));
  }
  const [start, end] = [`{"${member}":[`, ']}'];
  const reply = jsonTextReply(200, typeof items === 'string' ? start + items + end : '', {
    'page': String(page.number),
    'items_per_page': String(page.sizeMax),
    'Count': String(count),
    'Link': links.join(', '),
  });
  return typeof items === 'string' ? reply : { ...reply, body: enclose(start, items, end) };

  function toLink(number: number, relation: string): string {
    return `<${path}?page=${number}&items_per_page=${page.sizeMax}${others}>; rel="${relation}"`;
  }
}

async function* enclose(start: string, slices: AsyncIterable<string>, end: string): AsyncGenerator<string> {
  yield start;
  yield* slices;
  yield end;
}

/**
 * A path segment of decimal digits is an id, everything else is a name.
 *
 * @returns `undefined` for an id that no resource can have.
 */
export function parseIdOrName<Id extends number>(segment: string): { id: Id } | { name: string } | undefined {
  if (!isIdText(segment)) {
    return { name: segment };
  }
  const id = Number(segment);
  return Number.isSafeInteger(id) ? { id: id as Id } : undefined;
}
