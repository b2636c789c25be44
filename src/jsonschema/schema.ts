/**
 * JSON Schema draft 4 as a TypeScript type, so that the compiler already finds a misspelt keyword.
 *
 * Specifications: draft-zyp-json-schema-04 (core) and draft-fge-json-schema-validation-00. This is
 * what `compile.ts` implements: all but references through `id` and to other documents.
 */

/** The names of draft 4's primitive types. An integer is also a number. */
type SimpleType =
  | 'array'
  | 'boolean'
  | 'integer'
  | 'null'
  | 'number'
  | 'object'
  | 'string';

/** The formats of draft 4, all of which `formats.ts` implements. */
export type Format = 'date-time' | 'email' | 'hostname' | 'ipv4' | 'ipv6' | 'uri';

/** Schemas by name: of members, of dependencies, of definitions. */
type Schemas = { readonly [name: string]: Schema };

/** A draft-4 schema. Every keyword judges only its own kind of value and accepts all others. */
export interface Schema {
  /** `#` and a JSON pointer into the same document. Draft 4 ignores all neighbours of `$ref`. */
  readonly $ref?: string;

  // Annotations, without effect on validity. A `title` words the complaints of `pattern` and `not`.
  readonly $schema?: 'http://json-schema.org/draft-04/schema#';
  /** Only at the root: elsewhere it would change the meaning of the references below it. */
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** From draft 7. The official test suite uses it in draft-4 schemas too. */
  readonly $comment?: string;
  /** Schemas that are only referred to. */
  readonly definitions?: Schemas;

  // Any value.
  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;

  // Numbers. The exclusive bounds are modifiers of their neighbours.
  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;

  // Strings. Lengths count Unicode code points. Patterns are ECMAScript's with the flag `u`, not
  // anchored. They run on text of strangers: write none that can match one text in many ways.
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;

  // Arrays.
  readonly items?: Schema | readonly Schema[];
  readonly additionalItems?: boolean | Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  // Objects.
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependencies?: { readonly [name: string]: Schema | readonly string[] };
}
