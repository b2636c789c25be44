/**
 * Schemas that carry the TypeScript type of the values they accept, so that each shape is stated once. The
 * validator and the API document see `object({ name: text() })` as draft-4 JSON; the compiler sees it as
 * `{ readonly name: string }`.
 */
import type { Schema } from './schema.ts';

export interface TypedSchema<Value> {
  readonly json: Schema;
  /** An example value for the API document. An object's example is made of the examples of its members. */
  readonly example?: Value;
  /** Never set: the member only gives the compiler a place to keep the type. */
  readonly value?: Value;
}

/** A member that may be absent. `optional()` makes one. */
interface OptionalMember<Value> {
  readonly optional: TypedSchema<Value>;
}

export type Members = Readonly<Record<string, TypedSchema<unknown> | OptionalMember<unknown>>>;

/** The type of the values that a schema accepts. */
export type ValueOf<Typed> = Typed extends TypedSchema<infer Value> ? Value : never;

/**
 * The type of an object, from the schemas of its members. Members without a schema are not in the type.
 */
export type ObjectOf<M extends Members> =
  { readonly [Name in keyof M as M[Name] extends TypedSchema<unknown> ? Name : never]: ValueOf<M[Name]> } &
  { readonly [Name in keyof M as M[Name] extends OptionalMember<unknown> ? Name : never]?:
    M[Name] extends OptionalMember<infer Value> ? Value : never };

/** The keywords that a caller may set; the functions of this file set the others. */
type Keywords<Value> = Omit<Schema, 'type' | 'enum' | 'properties' | 'required' | 'items'> & {
  readonly example?: Value;
};

export function text(keywords: Keywords<string> = {}): TypedSchema<string> {
  return describe({ json: { type: 'string' } }, keywords);
}

export function integer(keywords: Keywords<number> = {}): TypedSchema<number> {
  return describe({ json: { type: 'integer' } }, keywords);
}

export function boolean(keywords: Keywords<boolean> = {}): TypedSchema<boolean> {
  return describe({ json: { type: 'boolean' } }, keywords);
}

/** One of several words. The first is the example unless another is given. */
export function oneOf<const Word extends string>(
  words: readonly Word[], { example = words[0], ...keywords }: Keywords<Word> = {},
): TypedSchema<Word> {
  return { json: { type: 'string', enum: words, ...keywords }, ...(example !== undefined && { example }) };
}

export function array<Item>(
  items: TypedSchema<Item>,
  keywords: Keywords<readonly Item[]> = {},
): TypedSchema<readonly Item[]> {
  const { example = items.example === undefined ? [] : [items.example], ...others } = keywords;
  return { json: { type: 'array', items: items.json, ...others }, example };
}

export function object<const M extends Members>(
  members: M,
  keywords: Keywords<ObjectOf<M>> = {},
): TypedSchema<ObjectOf<M>> {
  const { example, ...others } = keywords;
  const entries = Object.entries(members).map(([name, member]) => {
    return 'optional' in member
      ? { name, typed: member.optional, isRequired: false }
      : { name, typed: member, isRequired: true };
  });
  const required = entries.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const shown = entries.filter(({ typed }) => typed.example !== undefined).map(({ name, typed }) => [
    name, typed.example,
  ]);
  return {
    json: {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(entries.map(({ name, typed }) => [name, typed.json])),
      ...others,
    },
    example: example ?? (Object.fromEntries(shown) as ObjectOf<M>), // made of the examples of its members
  };
}

/** Accepts `null` as well. The example is the example of the schema, unless another is given. */
export function nullable<Value>(
  typed: TypedSchema<Value>,
  keywords: Keywords<Value | null> = {},
): TypedSchema<Value | null> {
  const { type } = typed.json;
  if (typeof type !== 'string') {
    throw new Error('Only a schema of one type can be made nullable');
  }
  return describe<Value | null>({ ...typed, json: { ...typed.json, type: [type, 'null'] } }, keywords);
}

export function optional<Value>(typed: TypedSchema<Value>): OptionalMember<Value> {
  return { optional: typed };
}

/** Makes the same schema with further keywords, or with another example, title or description. */
export function describe<Value>(typed: TypedSchema<Value>, keywords: Keywords<Value>): TypedSchema<Value> {
  const { example = typed.example, ...others } = keywords;
  return { json: { ...typed.json, ...others }, ...(example !== undefined && { example }) };
}
