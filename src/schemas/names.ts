/**
 * What users and projects may be called. Neither may consist of digits alone, which a path reads as an id, nor be `.` or
 * `..`, which browsers and proxies remove from a path before it is sent.
 */
import type { Schema } from '../jsonschema/schema.ts';

const NOT_ADDRESSABLE: Schema = { type: 'string', pattern: '^([0-9]+|\\.\\.?)$', title: 'digits alone, "." or ".."' };

/**
 * Marks are allowed after the first character, since many scripts cannot be written without them. Some
 * letters and marks are invisible, such as U+3164 and U+034F. `isOfOneScript` checks the scripts, which a
 * pattern cannot do.
 */
export const usernameSchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern:
    '^(?!\\p{Nd}+$)(?!.*\\p{Default_Ignorable_Code_Point})' +
    '[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'visible letters, digits and . _ @ + - only',
  description:
    'Letters, digits and marks of one script, and `. _ @ + -`; nothing invisible; not digits alone, `.` or ' +
    '`..`. Latin may be mixed with Japanese, Chinese or Korean. Case is kept, and ignored for uniqueness.',
  not: NOT_ADDRESSABLE,
};

/**
 * Control characters, and invisible ones: line separators and format characters, some of which reverse the
 * text.
 */
const HIDDEN = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** The empty braille pattern (U+2800) looks like a space. */
const SPACE = '\\p{White_Space}\\u2800';

export const projectNameSchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: `^(?!\\p{Nd}+$)[^${HIDDEN}${SPACE}]([^${HIDDEN}]*[^${HIDDEN}${SPACE}])?$`,
  title: 'visible text without control characters, and without white space at either end',
  description:
    'Without control and invisible characters, and without white space at either end; not digits alone, ' +
    '`.` or `..`. Unique across the service, case ignored.',
  not: NOT_ADDRESSABLE,
};
