/**
 * The subset of JSON Schema draft 4 that bodies and parameters use, as a TypeScript type, so that the
 * compiler finds a misspelt keyword. `compile.ts` implements every member of this type and nothing else.
 */
import type { Format } from './formats.ts';

/** The primitive types of draft 4 without `number`, which nothing here uses. */
export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'object' | 'string';

/** A keyword judges only values of its own type: `minLength` accepts every number. */
export interface Schema {
  // Annotations, without effect on validity. Complaints of `pattern` and `not` quote `title`.
  readonly title?: string;
  readonly description?: string;

  // Keywords for values of any type.
  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly not?: Schema;

  // Keywords for numbers, and for strings. Lengths count code points. Patterns are ECMAScript's with the flag
  // `u`, unanchored. Patterns run on untrusted text, so no pattern may match one text in many ways.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;
  /** Not part of draft 4: a rule that no keyword can express, for strings that obey all other keywords. */
  readonly check?: (text: string) => Omit<Complaint, 'pointer'> | undefined;

  // Keywords for arrays, and for objects. `items` is one schema for all items.
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
}

/** One reason why a schema refuses a value. It never quotes the value, which may be a password. */
export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value; '' is the whole value. */
  readonly pointer: string;
  /** The keyword that the value violates. */
  readonly keyword: string;
  /** A text for people. It completes a sentence that begins with the name of the part; no full stop. */
  readonly message: string;
}
