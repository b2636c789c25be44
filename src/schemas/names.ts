/**
 * What users and projects may be called. Neither may consist of digits alone, which a path reads as an id, nor be `.` or
 * `..`, which browsers and proxies remove from a path before it is sent.
 */
import type { Schema } from '../jsonschema/schema.ts';

const NOT_ADDRESSABLE: Schema = { type: 'string', pattern: '^([0-9]+|\\.\\.?)$', title: 'digits alone, "." or ".."' };

/** Marks are allowed after the first character, as many scripts cannot be written without them. */
export const usernameSchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'letters, digits and . _ @ + - only',
  description:
    'Letters, digits and marks of any script, and `. _ @ + -`; not digits alone, `.` or `..`. Case is kept, and ignored for ' +
    'uniqueness.',
  not: NOT_ADDRESSABLE,
};

export const projectNameSchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\p{Cc}\\p{White_Space}]([^\\p{Cc}]*[^\\p{Cc}\\p{White_Space}])?$',
  title: 'text without control characters and without white space at either end',
  description:
    'Without control characters, and without white space at either end; not digits alone, `.` or `..`. Unique across the ' +
    'service, case ignored.',
  not: NOT_ADDRESSABLE,
};
