/** The subset of JSON Schema draft 4 that bodies and parameters use. */
import type { Format } from './formats.ts';

export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'object' | 'string';

/** A keyword checks only values of one type, so `minLength`, which checks strings, accepts every number. */
export interface Schema {
  // Annotations check nothing; complaints of the keyword `pattern` quote the title.
  readonly title?: string;
  readonly description?: string;

  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly (string | number | boolean | null)[];

  // `minLength` and `maxLength` count code points. A pattern is an unanchored ECMAScript expression with the
  // flag `u`. No pattern may match one text in many ways, because untrusted texts could make the search very
  // long.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: Format;
  /** A rule that JSON Schema draft 4 cannot express, for strings that obey all other keywords. */
  readonly check?: (text: string) => Omit<Complaint, 'pointer'> | undefined;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
}

export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value. */
  readonly pointer: string;
  readonly keyword: string;
  /** A text such as `must be a string`, which follows the name of the wrong part and has no full stop. */
  readonly message: string;
}
