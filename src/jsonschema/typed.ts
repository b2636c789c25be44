/**
 * Schemas with the TypeScript type of the accepted values. From `object({ name: text() })`, the validator
 * gets a JSON schema, and the type checker gets the type `{ readonly name: string }`.
 */
import type { Schema } from './schema.ts';

export interface TypedSchema<Value> {
  readonly json: Schema;
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

/** The keywords that callers can pass. The functions of this file set all other keywords. */
type Keywords = Omit<Schema, 'type' | 'enum' | 'properties' | 'required' | 'items'>;

export const text = (keywords: Keywords = {}): TypedSchema<string> =>
  ({ json: { type: 'string', ...keywords } });

export const integer = (keywords: Keywords = {}): TypedSchema<number> =>
  ({ json: { type: 'integer', ...keywords } });

export const boolean = (keywords: Keywords = {}): TypedSchema<boolean> =>
  ({ json: { type: 'boolean', ...keywords } });

export function wordOf<const Word extends string>(
  words: readonly Word[], keywords: Keywords = {},
): TypedSchema<Word> {
  return { json: { type: 'string', enum: words, ...keywords } };
}

export function array<Item>(
  { json: items }: TypedSchema<Item>, keywords: Keywords = {},
): TypedSchema<readonly Item[]> {
  return { json: { type: 'array', items, ...keywords } };
}

export function object<const M extends Members>(
  members: M, keywords: Keywords = {},
): TypedSchema<ObjectOf<M>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, { json }]) => [name, json]));
  return { json: { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords } };
}

export function nullable<Value>(
  { json }: TypedSchema<Value>, keywords: Keywords = {},
): TypedSchema<Value | null> {
  return { json: { ...json, type: [json.type ?? [], 'null' as const].flat(), ...keywords } };
}

export function optional<Value>({ json }: TypedSchema<Value>, keywords: Keywords = {}): Optional<Value> {
  return { json: { ...json, ...keywords }, isOptional: true };
}
