/**
 * Schemas with the TypeScript type of the accepted values. From `object({ name: text() })`, the validator
 * gets a JSON schema, and the type checker gets the type `{ readonly name: string }`.
 */
import type { Schema } from './schema.ts';

export interface TypedSchema<Value> {
  readonly json: Schema;
  /** The example in the API document; the example of an object consists of the examples of its members. */
  readonly example?: Value | undefined;
  readonly isOptional?: boolean;
  /** This member is never set; it only tells the type checker the type of the values. */
  readonly value?: Value;
}

type Optional<Value> = TypedSchema<Value> & { readonly isOptional: true };

export type Members = Readonly<Record<string, TypedSchema<unknown>>>;

export type ValueOf<Typed> = Typed extends TypedSchema<infer Value> ? Value : never;

type ObjectOf<M extends Members> =
  { readonly [Name in keyof M as M[Name] extends Optional<unknown> ? never : Name]: ValueOf<M[Name]> } &
  { readonly [Name in keyof M as M[Name] extends Optional<unknown> ? Name : never]?: ValueOf<M[Name]> };

/** Callers may set these keywords. The functions of this file set all other keywords. */
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

export function wordOf<const Word extends string>(
  words: readonly Word[], keywords: Keywords<Word> = {},
): TypedSchema<Word> {
  return describe({ json: { type: 'string', enum: words }, example: words[0] }, keywords);
}

export function array<Item>(
  items: TypedSchema<Item>, keywords: Keywords<readonly Item[]> = {},
): TypedSchema<readonly Item[]> {
  const example = items.example === undefined ? [] : [items.example];
  return describe<readonly Item[]>({ json: { type: 'array', items: items.json }, example }, keywords);
}

export function object<const M extends Members>(
  members: M, keywords: Keywords<ObjectOf<M>> = {},
): TypedSchema<ObjectOf<M>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  const examples = entries.filter(([, { example }]) => example !== undefined);
  return describe({
    json: {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
    },
    example: Object.fromEntries(examples.map(([name, { example }]) => [name, example])) as ObjectOf<M>,
  }, keywords);
}

export function nullable<Value>(
  { json, example }: TypedSchema<Value>, keywords: Keywords<Value | null> = {},
): TypedSchema<Value | null> {
  const type = [json.type ?? [], 'null' as const].flat();
  return describe<Value | null>({ json: { ...json, type }, example }, keywords);
}

export function optional<Value>(typed: TypedSchema<Value>): Optional<Value> {
  return { ...typed, isOptional: true };
}

export function describe<Value>(typed: TypedSchema<Value>, keywords: Keywords<Value>): TypedSchema<Value> {
  const { example = typed.example, ...others } = keywords;
  return { json: { ...typed.json, ...others }, example };
}
