/**
 * Parameters of paths and queries: checks text and converts it to values. The API document contains the same
 * schemas, so it shows the bounds that apply.
 */
import type { Query } from '../http/target.ts';
import { compileSchema, type Validate } from '../jsonschema/compile.ts';
import type { Schema } from '../jsonschema/schema.ts';
import { integer, oneOf, text, type TypedSchema } from '../jsonschema/typed.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import { isIdText, toNameKey, type NameSearch } from '../model/name.ts';
import { ITEMS_PER_PAGE_MAX, type PageRequest, type SortOrder } from '../model/page.ts';
import type { UserFilter } from '../model/user.ts';
import type { ProblemPart } from './problems.ts';

export interface Parameter<Value> {
  readonly json: Schema;
  readonly example: unknown;
  readonly validate: Validate;
  /** @param value - A value that the schema has accepted. */
  readonly convert: (value: never) => Value;
}

export type ParametersOf<P extends Readonly<Record<string, Parameter<unknown>>>> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** Every query parameter may be absent. */
export type QueryOf<P extends Readonly<Record<string, Parameter<unknown>>>> = {
  readonly [Name in keyof P]: (P[Name] extends Parameter<infer Value> ? Value : never) | undefined;
};

/** @param convert - Converts the checked value for handlers. Without it, handlers get the checked value. */
export function parameter<Value>(schema: TypedSchema<Value>): Parameter<Value>;
export function parameter<Value, Converted>(
  schema: TypedSchema<Value>, convert: (value: Value) => Converted,
): Parameter<Converted>;
export function parameter(
  { json, example }: TypedSchema<unknown>,
  convert = (value: unknown) => value,
): Parameter<unknown> {
  return { json, example, validate: compileSchema(json), convert };
}

/** @returns The value of each parameter, or every mistake in them. */
export function parseQuery<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P, query: Query,
): { readonly values: QueryOf<P> } | { readonly faults: readonly ProblemPart[] } {
  const values: Record<string, unknown> = {};
  const faults: ProblemPart[] = [];
  for (const name in parameters) {
    const { json, validate, convert } = parameters[name] as Parameter<unknown>; // an own member of a literal
    const given = query.get(name);
    const value = given && parseText(given[0] ?? '', json);
    if (given !== undefined && given.length > 1) {
      faults.push({ parameter: name, keyword: 'maxItems', message: 'must not be repeated' });
    } else if (value !== undefined) {
      const complaints = validate(value);
      faults.push(...complaints.map(({ keyword, message }) => ({ parameter: name, keyword, message })));
      values[name] = complaints.length === 0 ? convert(value as never) : undefined;
    }
  }
  return faults.length > 0 ? { faults } : { values: values as QueryOf<P> }; // the loop sets every name
}

/** Parses a query parameter. For an integer, digits become a number; an empty text counts as absent. */
function parseText(given: string, { type }: Schema): string | number | undefined {
  if (type === 'integer') {
    return /^[0-9]+$/.test(given) ? Number(given) : given; // anything else fails the schema
  }
  return given === '' ? undefined : given;
}

export function parsePath<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P, segments: Readonly<Record<string, string>>,
): ParametersOf<P> {
  const values: Record<string, unknown> = {};
  for (const name in parameters) {
    values[name] = parameters[name]?.convert((segments[name] ?? '') as never);
  }
  return values as ParametersOf<P>; // the loop sets every name
}

/** A resource that a path names by its id or by its name. `undefined` is an id that no resource can have. */
export type IdOrName<Id> = { readonly id: Id } | { readonly name: string } | undefined;

/** A path segment that parses as an integer is an id, everything else is a name. */
export function idOrName<Id extends number>(description: string, example: string): Parameter<IdOrName<Id>> {
  return parameter(text({ minLength: 1, description, example }), (segment): IdOrName<Id> => {
    const id = parseId<Id>(segment);
    return id === undefined ? (isIdText(segment) ? undefined : { name: segment }) : { id };
  });
}

/** A path segment that is an id; `undefined` for anything else. */
export function idInPath<Id extends number>(description: string, example: number): Parameter<Id | undefined> {
  return {
    ...parameter(integer({ minimum: 1, description, example })),
    convert: (segment: string) => parseId<Id>(segment),
  };
}

/** Ids are safe integers from 1. */
function parseId<Id extends number>(segment: string): Id | undefined {
  const value = isIdText(segment) ? Number(segment) : 0;
  // The only place that converts text to ids.
  return value >= 1 && Number.isSafeInteger(value) ? (value as Id) : undefined;
}

export const usernameInQuery = (description: string) => parameter(text({ description, example: 'ada' }));

/** An instant in RFC 3339, with any offset. */
export const instant = (description: string): Parameter<Timestamp> =>
  parameter(text({ format: 'date-time', description, example: '2026-01-31T00:00:00Z' }), toInstant);

/** The range of a `Timestamp`. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** An offset may lead out of the range of a `Timestamp`; the result is then the nearest end of the range. */
function toInstant(dateTime: string): Timestamp {
  const instantMs = Date.parse(dateTime.toUpperCase());
  return toTimestamp(Math.min(Math.max(instantMs, FIRST_MS), LAST_MS));
}

export const paging = {
  page: parameter(integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number of the page, 1 unless given. A page after the last one is empty.',
  })),
  items_per_page: parameter(integer({
    minimum: 1,
    description: `The size of a page: ${ITEMS_PER_PAGE_MAX} unless given, and at most.`,
  }), (size) => Math.min(size, ITEMS_PER_PAGE_MAX)),
};

export function pageRequest(query: QueryOf<typeof paging>): PageRequest {
  return { number: query.page ?? 1, sizeMax: query.items_per_page ?? ITEMS_PER_PAGE_MAX };
}

export const nameSearch = {
  contains: parameter(text({
    description:
      'Only names that contain this text. Case is ignored. Overrides `starts_with` and `ends_with`.',
    example: 'ad',
  })),
  starts_with: parameter(text({
    description: 'Only names that start with this text. Case is ignored.', example: 'a',
  })),
  ends_with: parameter(text({
    description: 'Only names that end with this text, without overlapping `starts_with`. Case is ignored.',
    example: 'a',
  })),
};

/** Makes the search. `contains` takes precedence over the other two (specification, search rule 1). */
export function toNameSearch(
  { contains, starts_with: prefix, ends_with: suffix }: QueryOf<typeof nameSearch>,
): NameSearch {
  if (contains !== undefined) {
    return { kind: 'contains', text: toNameKey(contains) };
  }
  if (prefix === undefined && suffix === undefined) {
    return { kind: 'all' };
  }
  return { kind: 'affixes', prefix: toNameKey(prefix ?? ''), suffix: toNameKey(suffix ?? '') };
}

export const userFilter = {
  role: parameter(oneOf(['administrator', 'user'], { description: 'Only users with this role.' })),
  state: parameter(oneOf(['enabled', 'disabled'], {
    description: 'Only users who may sign in (`enabled`), or only disabled users.',
  })),
};

export function toUserFilter({ role, state }: QueryOf<typeof userFilter>): UserFilter {
  return { isAdmin: role && role === 'administrator', isDisabled: state && state === 'disabled' };
}

/** The parameter `sort`: one of several keys, or the id. A leading minus sorts in descending order. */
export function sortBy<const Key extends string = never>(
  ...keys: readonly Key[]
): Parameter<SortOrder<Key | 'id'>> {
  const words = (['id', ...keys] as const).flatMap((key) => [key, `-${key}` as const]);
  const description =
    'The sort key, `id` unless given. A leading minus sorts in descending order. Case is ignored, and ties ' +
      'are sorted by id.';
  return parameter(oneOf(words, { description }), (word) => {
    const isDescending = word.startsWith('-');
    // A word is a key, with or without a minus.
    return { by: (isDescending ? word.slice(1) : word) as Key | 'id', isDescending };
  });
}
