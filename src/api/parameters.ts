/**
 * The parameters of paths and queries: checks the text by a draft-4 schema, and converts it to a value. The
 * API document contains the same schemas, so it shows the bounds that apply.
 */
import type { Query } from '../http/target.ts';
import { compileSchema, type Validate } from '../jsonschema/compile.ts';
import type { Schema } from '../jsonschema/schema.ts';
import { integer, text, wordOf, type TypedSchema } from '../jsonschema/typed.ts';
import { isIdText, toNameKey, type NameSearch } from '../model/name.ts';
import { ITEMS_PER_PAGE_MAX, type PageRequest, type SortOrder } from '../model/page.ts';
import { refuse, type ProblemPart, type Refusal } from './problems.ts';

interface Parameter<Value> {
  readonly json: Schema;
  readonly validate: Validate;
  /** @param value - A value that the schema has accepted. */
  readonly convert: (value: never) => Value;
}

export type Parameters<Name extends string = string> = Readonly<Record<Name, Parameter<unknown>>>;

type ValueOf<Each> = Each extends Parameter<infer Value> ? Value : never;
export type PathOf<P> = { readonly [Name in keyof P]: ValueOf<P[Name]> };
/** Every query parameter may be absent. */
export type QueryOf<P> = { readonly [Name in keyof P]: ValueOf<P[Name]> | undefined };

/** @param convert - Converts the checked value for handlers. Without it, handlers get the checked value. */
export function parameter<Value>(schema: TypedSchema<Value>): Parameter<Value>;
export function parameter<Value, Converted>(
  schema: TypedSchema<Value>, convert: (value: Value) => Converted,
): Parameter<Converted>;
export function parameter(
  { json }: TypedSchema<unknown>, convert = (value: unknown) => value,
): Parameter<unknown> {
  return { json, validate: compileSchema(json), convert };
}

/** @returns The value of each parameter, or every mistake in them. Unknown parameters are ignored. */
export function parseQueryParameters<P extends Parameters>(
  parameters: P, query: Query,
): QueryOf<P> | Refusal<'invalidParameter'> {
  const values: Record<string, unknown> = {};
  const faults: ProblemPart[] = [];
  for (const [name, { json, validate, convert }] of Object.entries(parameters)) {
    const [given = '', ...others] = query.get(name) ?? [];
    // For an integer, digits become a number; anything else fails the schema. Other empty texts are absent.
    const value = json.type === 'integer' && /^[0-9]+$/.test(given) ? Number(given) : given;
    if (others.length > 0) {
      faults.push({ parameter: name, keyword: 'maxItems', message: 'must not be repeated' });
    } else if (query.has(name) && (given !== '' || json.type === 'integer')) {
      const complaints = validate(value);
      faults.push(...complaints.map(({ keyword, message }) => ({ parameter: name, keyword, message })));
      values[name] = complaints.length === 0 ? convert(value as never) : undefined;
    }
  }
  return faults.length > 0 ? refuse('invalidParameter', faults) : (values as QueryOf<P>); // all are optional
}

export function parsePathParameters<P extends Parameters>(
  parameters: P, segments: Readonly<Record<string, string>>,
): PathOf<P> {
  const values = Object.entries(parameters).map(([name, { convert }]) => [
    name, convert((segments[name] ?? '') as never),
  ]);
  return Object.fromEntries(values) as PathOf<P>; // has every name
}

/** A record that a path names by its id or by its name. `undefined` is an id that no record can have. */
export type IdOrName<Id> = { readonly id: Id } | { readonly name: string } | undefined;

/** A path segment that parses as an integer is an id, everything else is a name. */
export function idOrName<Id extends number>(): Parameter<IdOrName<Id>> {
  return parameter(text({ minLength: 1 }), (segment): IdOrName<Id> => {
    const id = parseId<Id>(segment);
    return id === undefined ? (isIdText(segment) ? undefined : { name: segment }) : { id };
  });
}

/** Ids are safe integers from 1. */
export function parseId<Id extends number>(segment: string): Id | undefined {
  const value = isIdText(segment) ? Number(segment) : 0;
  // The only place that converts text to ids.
  return value >= 1 && Number.isSafeInteger(value) ? (value as Id) : undefined;
}

export const paging = {
  page: parameter(integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  items_per_page: parameter(integer({ minimum: 1 }), (size) => Math.min(size, ITEMS_PER_PAGE_MAX)),
};

export function pageRequest(query: QueryOf<typeof paging>): PageRequest {
  return { number: query.page ?? 1, sizeMax: query.items_per_page ?? ITEMS_PER_PAGE_MAX };
}

export const nameSearch = {
  contains: parameter(text()),
  starts_with: parameter(text()),
  ends_with: parameter(text()),
};

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
): Parameter<SortOrder<Key | 'id'>> {
  const words = (['id', ...keys] as const).flatMap((key) => [key, `-${key}` as const]);
  return parameter(wordOf(words), (word) => ({
    by: word.replace('-', '') as Key | 'id', // a word is a key, with or without a minus
    isDescending: word.startsWith('-'),
  }));
}
