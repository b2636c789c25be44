/** Reads the parameters that routes share: `page` and `items_per_page`, the search texts, and ids or names in paths. */
import { jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import type { Query } from '../http/query.ts';
import { isIdText, toNameKey, type NameSearch } from '../model/name.ts';
import type { JsonPage, PageRequest } from '../model/page.ts';
import { problems } from '../problems.ts';

const ITEMS_PER_PAGE_MAX = 1000;

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

export function readPage(query: Query): PageRequest {
  return {
    number: readInteger(query, { name: 'page', min: 1, max: Number.MAX_SAFE_INTEGER }) ?? 1,
    sizeMax: readInteger(query, { name: 'items_per_page', min: 1, max: ITEMS_PER_PAGE_MAX }) ?? ITEMS_PER_PAGE_MAX,
  };
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

/** A page of a list under its member name, with header fields that say where it is and link to others (RFC 8288). */
export function toListReply(
  member: 'users' | 'projects',
  { path, query }: HttpRequest,
  page: PageRequest,
  { json, count, hasNext }: JsonPage,
): Reply {
  const links = [toLink(1, 'first')];
  if (page.number > 1) {
    links.push(toLink(page.number - 1, 'prev'));
  }
  if (hasNext) {
    links.push(toLink(page.number + 1, 'next'));
  }
  return jsonTextReply(200, `{"${member}":${json}}`, {
    'page': String(page.number),
    'items_per_page': String(page.sizeMax),
    'Count': String(count),
    'Link': links.join(', '),
  });

  function toLink(number: number, relation: string): string {
    const parameters = [...query.entries()]
      .filter(([name]) => name !== 'page' && name !== 'items_per_page')
      .flatMap(([name, values]) => values.map((value) => [name, value] as const));
    const all = [['page', String(number)], ['items_per_page', String(page.sizeMax)], ...parameters] as const;
    return `<${path}?${all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}>; rel="${relation}"`;
  }
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
