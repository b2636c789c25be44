/**
 * The subset of JSON Schema draft 4 that bodies and parameters use, with the TypeScript type of the accepted
 * values. From `object({ name: text() })`, the validator gets a JSON schema, and the type checker gets the
 * type `{ readonly name: string }`.
 */

export type SimpleType = 'array' | 'boolean' | 'integer' | 'object' | 'string';

/** Most keywords check values of one type only. For example, `minLength` checks only strings. */
export interface Schema {
  // Annotations check nothing. If a value does not match `pattern`, the error message contains the title.
  readonly title?: string;
  readonly description?: string;
  /** An example of the value, only for the API document. */
  readonly example?: unknown;
  /** The format of the value, only for the API document. A rule in `check` tests the value. */
  readonly format?: string;

  readonly type?: SimpleType;
  readonly enum?: readonly (string | number | boolean | null)[];

  // `minLength` and `maxLength` count code points. A pattern is an unanchored regular expression (ECMAScript)
  // with the flag `u`. If a pattern can match a text in many ways, checks can be slow. Do not write such a
  // pattern.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** A rule that JSON Schema draft 4 cannot express. Called only if the text obeys all other keywords. */
  readonly check?: (text: string) => Omit<Complaint, 'pointer'> | undefined;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
}

export interface Complaint {
  /** JSON pointer (RFC 6901) to the invalid or missing part of the value. */
  readonly pointer: string;
  readonly keyword: string;
  /** A text without a full stop, such as `must be a string`. It follows the name of the invalid part. */
  readonly message: string;
}

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

const typed = <Value>(json: Schema): TypedSchema<Value> => ({ json });

export const text = (keywords?: Keywords) => typed<string>({ type: 'string', ...keywords });
export const integer = (keywords?: Keywords) => typed<number>({ type: 'integer', ...keywords });
export const boolean = (keywords?: Keywords) => typed<boolean>({ type: 'boolean', ...keywords });

export const wordOf = <const Word extends string>(words: readonly Word[], keywords?: Keywords) =>
  typed<Word>({ type: 'string', enum: words, ...keywords });

export const array = <Item>({ json: items }: TypedSchema<Item>, keywords?: Keywords) =>
  typed<readonly Item[]>({ type: 'array', items, ...keywords });

export function object<const M extends Members>(members: M, keywords?: Keywords) {
  const entries = Object.entries(members);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, { json }]) => [name, json]));
  return typed<ObjectOf<M>>({
    type: 'object', ...(required.length > 0 && { required }), properties, ...keywords,
  });
}

export const optional = <Value>({ json }: TypedSchema<Value>, keywords?: Keywords): Optional<Value> =>
  ({ json: { ...json, ...keywords }, isOptional: true });
