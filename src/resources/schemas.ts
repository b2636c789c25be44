/**
 * The schemas that several resources share: members such as usernames, and the record of a token without its
 * secret text. A description tells callers only what the name does not.
 */
import { TOKEN_PATTERN } from '../auth/token.ts';
import { integer, nullable, object, oneOf, text, type ValueOf } from '../jsonschema/typed.ts';
import type { Timestamp } from '../model/clock.ts';
import { PROJECT_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX } from '../model/name.ts';
import { TOKEN_SCOPES, type Token } from '../model/token.ts';

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
 * A name that is new to the service. An integer would be read as an id in a path, and browsers and proxies
 * remove `.` and `..` from paths before they are sent.
 */
const NOT_ADDRESSABLE =
  { type: 'string', pattern: '^([+-]?[0-9]+|\\.\\.?)$', title: 'an integer, "." or ".."' } as const;

/** A token in place of a username is taken for a token, so no username may look like one. */
const NOT_A_USERNAME = {
  type: 'string',
  pattern: `${NOT_ADDRESSABLE.pattern}|${TOKEN_PATTERN}`,
  title: 'an integer, ".", ".." or in the form of a token',
} as const;

/**
 * Marks are allowed after the first character, since many scripts cannot be written without them. Some
 * letters and marks are invisible, such as U+3164 and U+034F. `findUsernameFault` checks the scripts,
 * which a pattern cannot do.
 */
export const newUsername = text({
  minLength: 1,
  maxLength: USERNAME_LENGTH_MAX,
  pattern:
    '^(?![+-]?\\p{Nd}+$)(?!.*\\p{Default_Ignorable_Code_Point})' +
    '[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'visible letters, digits and . _ @ + - only',
  description:
    'Letters, digits and marks of one script, and `. _ @ + -`; nothing invisible; not an integer, ' +
    '`.` or `..`, and not in the form of a token. Latin may be mixed with Japanese, Chinese or Korean. ' +
    'Unique; case is kept, and ignored in comparisons.',
  not: NOT_A_USERNAME,
  example: 'ada',
});

/**
 * Control characters and invisible characters: line separators and format characters. Some of them reverse
 * the text.
 */
export const HIDDEN = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** The empty braille pattern (U+2800) looks like a space. */
const SPACE = '\\p{White_Space}\\u2800';

export const newProjectName = text({
  minLength: 1,
  maxLength: PROJECT_NAME_LENGTH_MAX,
  pattern: `^(?![+-]?\\p{Nd}+$)[^${HIDDEN}${SPACE}]([^${HIDDEN}]*[^${HIDDEN}${SPACE}])?$`,
  title: 'visible text without control characters, and without white space at either end',
  description:
    'Without control and invisible characters, and without white space at either end; not an integer, ' +
    '`.` or `..`. Unique across the service, case ignored.',
  not: NOT_ADDRESSABLE,
  example: 'notes',
});

/** An existing username. It need not match `newUsername`: other rules may have applied when it was chosen. */
export const username = text({
  minLength: 1,
  maxLength: USERNAME_LENGTH_MAX,
  description: 'In the letter case in which it was chosen.',
  example: 'ada',
});

export const userSummary = object({ username, email }, { description: 'The owner as projects show them.' });

export const tokenScope = oneOf(TOKEN_SCOPES, {
  description:
    '`read_only` allows what changes nothing. `identity` tells programs who the owner is, and allows ' +
    'nothing else. `set_password` is a password link.',
});

export const tokenMembers = {
  id: id(7, 'Identifies the token in paths. It is no secret.'),
  name: text({
    maxLength: 100, description: 'The name that its owner chose; may be empty.', example: 'laptop',
  }),
  last_four: text({
    maxLength: 4, description: 'The last characters of the token, as a reminder.', example: 'NNYw',
  }),
  scope: tokenScope,
  date_created: timestamp('2026-01-31T12:10:00.000Z'),
  expiration_date: expirationDate,
  last_used: nullable(timestamp('2026-01-31T12:20:00.000Z'), {
    description: 'When the token was last used, exact to a minute; `null` before its first use.',
  }),
};

export const tokenRecord = object(tokenMembers, { description: 'A token without its secret text.' });

export function toTokenRecord(
  { id, name, lastFour, scope, dateCreated, expiresAt, lastUsed }: Token,
): ValueOf<typeof tokenRecord> {
  return {
    id,
    name,
    last_four: lastFour,
    scope,
    date_created: dateCreated,
    expiration_date: withoutZone(expiresAt),
    last_used: lastUsed ?? null,
  };
}

/** @returns The date in the form of `expirationDate`. */
export function withoutZone(timestamp: Timestamp): string {
  return timestamp.slice(0, -1);
}
