/**
 * The subset of JSON Schema draft 4 that bodies and parameters use, as a TypeScript type. The type checker
 * finds a misspelt keyword. `compile.ts` implements exactly the members of this type.
 */
import type { Format } from './formats.ts';

/** The types of draft 4, except `number`, which no schema uses. */
export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'object' | 'string';

/** A keyword checks only values of its own type: `minLength` accepts every number. */
export interface Schema {
  // Annotations, without effect on validity. Complaints of `pattern` quote the title.
  readonly title?: string;
  readonly description?: string;

  // Keywords for values of any type.
  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly (string | number | boolean | null)[];

  // Keywords for numbers and for strings. Lengths count code points. A pattern is an unanchored ECMAScript
  // expression with the flag `u`. Texts are untrusted, so no pattern may match one text in many ways.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;
  /** A rule that no keyword of draft 4 can express, for strings that obey all other keywords. */
  readonly check?: (text: string) => Omit<Complaint, 'pointer'> | undefined;

  // Keywords for arrays and for objects. `items` is one schema for all items.
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
}

/** One reason why a schema refuses a value. Never quotes the value, which may be a password. */
export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value. '' is the whole value. */
  readonly pointer: string;
  /** The keyword that the value violates. */
  readonly keyword: string;
  /** Completes a sentence that begins with the name of the part. The message has no full stop. */
  readonly message: string;
}
