/**
 * Schemas of members that several resources share. The description of a member tells callers
 * what the name does not.
 */
import { oneOf, text, integer, object } from '../jsonschema/typed.ts';

/** The maximum is the largest integer that is exact in JavaScript. */
export const id = (example: number, description = 'Assigned by the service, and never used again.') =>
  integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, example });

export const timestamp = (example: string, description = 'UTC, with milliseconds.') =>
  text({ format: 'date-time', description, example });

/** The specification asks for this date without a zone designator. */
export const expirationDate = text({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}$',
  description: 'When the token expires: UTC, with milliseconds and without a zone designator.',
  example: '2026-01-31T13:10:00.000',
});

export const email = text({ maxLength: 254, format: 'email', example: 'ada@example.org' });

/**
 * A name that is new to the service. Digits alone would be read as an id in a path, and browsers and proxies
 * remove `.` and `..` from paths before they are sent.
 */
const NOT_ADDRESSABLE =
  { type: 'string', pattern: '^([0-9]+|\\.\\.?)$', title: 'digits alone, "." or ".."' } as const;

/**
 * Marks are allowed after the first character, since many scripts cannot be written without them. Some
 * letters and marks are invisible, such as U+3164 and U+034F. `findUsernameFault` checks the scripts,
 * which a pattern cannot do.
 */
export const newUsername = text({
  minLength: 1,
  maxLength: 64,
  pattern:
    '^(?!\\p{Nd}+$)(?!.*\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'visible letters, digits and . _ @ + - only',
  description:
    'Letters, digits and marks of one script, and `. _ @ + -`; nothing invisible; not digits alone, ' +
    '`.` or `..`. Latin may be mixed with Japanese, Chinese or Korean. Unique; case is kept, and ' +
    'ignored in comparisons.',
  not: NOT_ADDRESSABLE,
  example: 'ada',
});

/**
 * Control characters and invisible characters: line separators and format characters. Some of them reverse
 * the text.
 */
const HIDDEN = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** The empty braille pattern (U+2800) looks like a space. */
const SPACE = '\\p{White_Space}\\u2800';

export const newProjectName = text({
  minLength: 1,
  maxLength: 255,
  pattern: `^(?!\\p{Nd}+$)[^${HIDDEN}${SPACE}]([^${HIDDEN}]*[^${HIDDEN}${SPACE}])?$`,
  title: 'visible text without control characters, and without white space at either end',
  description:
    'Without control and invisible characters, and without white space at either end; not digits alone, ' +
    '`.` or `..`. Unique across the service, case ignored.',
  not: NOT_ADDRESSABLE,
  example: 'notes',
});

/** An existing username. It need not match `newUsername`: other rules may have applied when it was chosen. */
export const username = text({
  minLength: 1, maxLength: 64, description: 'In the letter case in which it was chosen.', example: 'ada',
});

export const userSummary = object({ username, email }, { description: 'The owner as projects show them.' });

export const tokenScope = oneOf(['full', 'read_only'], {
  description: '`read_only` allows GET and HEAD only.',
});
