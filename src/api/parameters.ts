/**
 * The parameters of paths and queries. Schemas of draft 4 check a query. The API document contains the same
 * schemas, so it shows the bounds that apply.
 */
import type { Query } from '../http/target.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import {
  integer, text, wordOf, type Members, type TypedSchema, type ValueOf,
} from '../jsonschema/typed.ts';
import { isIdText, toNameKey, type IdOrName } from '../model/name.ts';
import { ITEMS_PER_PAGE_MAX, type PageRequest, type SortOrder } from '../model/page.ts';
import type { NameSearch } from '../stores/list.ts';
import type { ProblemPart } from './problems.ts';
import { refuse, type Refusal } from './refusal.ts';

export type QueryOf<M extends Members> = { readonly [Name in keyof M]: ValueOf<M[Name]> | undefined };

/** @returns A function to the value of each parameter, or every mistake. Unknown parameters are ignored. */
export function compileQuery<M extends Members>(
  members: M,
): (query: Query) => QueryOf<M> | Refusal<'invalidParameter'> {
  const rules = Object.entries(members).map(([name, { json }]) =>
    ({ name, isInteger: json.type === 'integer', validate: compileSchema(json) }));
  return (query) => {
    const values: Record<string, unknown> = {};
    const faults: ProblemPart[] = [];
    for (const { name, isInteger, validate } of rules) {
      const [given = '', ...others] = query.get(name) ?? [];
      // For an integer, digits become a number; anything else fails the schema. Other empty texts are absent.
      const value = isInteger && /^-?[0-9]+$/.test(given) ? Number(given) : given;
      if (others.length > 0) {
        faults.push({ parameter: name, keyword: 'maxItems', message: 'must not be repeated' });
      } else if (query.has(name) && (given !== '' || isInteger)) {
        faults.push(...validate(value).map(({ pointer, ...fault }) => ({ parameter: name, ...fault })));
        values[name] = value;
      }
    }
    // Every parameter may be absent.
    return faults.length > 0 ? refuse('invalidParameter', faults) : (values as QueryOf<M>);
  };
}

/** A path segment that parses as an integer is an id, everything else is a name. */
export function idOrName<Id extends number>(segment: string): IdOrName<Id> {
  const id = parseId<Id>(segment);
  return id === undefined ? (isIdText(segment) ? undefined : { name: segment }) : { id };
}

/** Ids are safe integers from 1. */
export function parseId<Id extends number>(segment: string): Id | undefined {
  const value = isIdText(segment) ? Number(segment) : 0;
  // The only place that converts text to ids.
  return value >= 1 && Number.isSafeInteger(value) ? (value as Id) : undefined;
}

export const paging = {
  page: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  items_per_page: integer({ minimum: 1 }),
};

export function pageRequest(query: QueryOf<typeof paging>): PageRequest {
  const sizeMax = Math.min(query.items_per_page ?? ITEMS_PER_PAGE_MAX, ITEMS_PER_PAGE_MAX);
  return { number: query.page ?? 1, sizeMax };
}

export const nameSearch = { contains: text(), starts_with: text(), ends_with: text() };

/** Makes the search. `contains` takes precedence over the other two (specification, search rule 1). */
export function toNameSearch(
  { contains, starts_with: prefix, ends_with: suffix }: QueryOf<typeof nameSearch>,
): NameSearch {
  if (contains !== undefined) {
    return { kind: 'contains', text: toNameKey(contains) };
  }
  return prefix === undefined && suffix === undefined
    ? { kind: 'all' }
    : { kind: 'affixes', prefix: toNameKey(prefix ?? ''), suffix: toNameKey(suffix ?? '') };
}

/** The parameter `sort`: one of several keys, or the id. A leading minus sorts in descending order. */
export function sortBy<const Key extends string = never>(
  ...keys: readonly Key[]
): TypedSchema<NoInfer<Key> | 'id' | `-${NoInfer<Key> | 'id'}`> {
  return wordOf((['id', ...keys] as const).flatMap((key) => [key, `-${key}` as const]));
}

/** @param word - A key, with or without a minus; the id unless given. */
export function sortOrder<Word extends string>(
  word: Word | undefined,
): SortOrder<Exclude<Word, `-${string}`>> {
  const text = word ?? 'id';
  return { by: text.replace('-', '') as Exclude<Word, `-${string}`>, isDescending: text.startsWith('-') };
}
