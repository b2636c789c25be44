/**
 * The subset of JSON Schema draft 4 that bodies and parameters use, as a TypeScript type, so that the
 * compiler finds a misspelt keyword. `compile.ts` implements every member of this type and nothing else.
 */
import type { Format } from './formats.ts';

/** The primitive types of draft 4. An integer is also a number. */
export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** A keyword judges only values of its own type: `minLength` accepts every number. */
export interface Schema {
  // Annotations, without effect on validity. Complaints of `pattern` and `not` quote `title`.
  readonly title?: string;
  readonly description?: string;
  /** From OpenAPI 3.0, not from draft 4: a sample value, which the API document shows. */
  readonly example?: unknown;

  // Keywords for values of any type.
  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly not?: Schema;

  // Keywords for numbers, and for strings. Lengths count code points. Patterns are ECMAScript's with the flag
  // `u`, unanchored. They run on text from strangers, so no pattern may match one text in many ways.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;

  // Keywords for arrays, and for objects. `items` is one schema for all items.
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
}
