/** The subset of JSON Schema draft 4 that bodies and parameters use. */

export type SimpleType = 'array' | 'boolean' | 'integer' | 'null' | 'object' | 'string';

/** Most keywords check values of one type only. For example, `minLength` checks only strings. */
export interface Schema {
  // Annotations check nothing, but the title appears in complaints about `pattern`.
  readonly title?: string;
  readonly description?: string;
  /** An example of the value, only for the API document. */
  readonly example?: unknown;

  readonly type?: SimpleType | readonly SimpleType[];
  readonly enum?: readonly (string | number | boolean | null)[];

  // `minLength` and `maxLength` count code points. A pattern is an unanchored ECMAScript expression with the
  // flag `u`. If a pattern can match a text in many ways, checks can be slow. Do not write such a pattern.
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time' | 'email';
  /** A rule that JSON Schema draft 4 cannot express. Called only if the text obeys all other keywords. */
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
  /** A text such as `must be a string`, without a full stop. The text follows the name of the wrong part. */
  readonly message: string;
}
