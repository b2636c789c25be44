/**
 * The subset of JSON Schema draft 4 that the service uses, as a TypeScript type, so that the compiler finds
 * a misspelt keyword. `compile.ts` implements every member of this type and nothing else.
 *
 * Left out are the keywords that make schemas refer to each other (`$ref`, `definitions`, `id`), a list of
 * schemas in `items`, and keywords that no schema here needs, such as `multipleOf`, `uniqueItems`,
 * `patternProperties` and `dependencies`. `compileSchema` refuses them.
 */

/** The primitive types of draft 4. An integer is also a number. */
export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

export type Format = 'date-time' | 'email';

/** A keyword judges only values of its own type: `minLength` accepts every number. */
export interface Schema {
  // Annotations, without effect on validity. Complaints of `pattern` and `not` quote `title`.
  readonly title?: string;
  readonly description?: string;
  /** From OpenAPI 3.0, not from draft 4: a sample value, which the API document shows. */
  readonly example?: unknown;

  // Keywords for values of any type.
  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;

  // Keywords for numbers. In draft 4, exclusive bounds are booleans that modify `minimum` and `maximum`.
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;

  // Keywords for strings. Lengths count code points. Patterns are ECMAScript's with the flag `u`, unanchored.
  // Patterns run on text from strangers, so write only patterns that cannot match one text in many ways.
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;

  // Keywords for arrays. `items` is one schema for all items.
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;

  // Keywords for objects.
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}
