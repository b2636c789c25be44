/** The rules for new names, as schemas. `model/name.ts` has the rules that a schema cannot express. */
import type { MemberRule } from '../api/body.ts';
import { TOKEN_PATTERN } from '../auth/token.ts';
import { text } from '../jsonschema/typed.ts';
import {
  findNameFault, findUsernameFault, PROJECT_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX,
} from '../model/name.ts';

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
 * letters and marks are invisible, such as U+3164 and U+034F. `usernameRule` checks the scripts, which a
 * pattern cannot do.
 */
export const newUsername = text({
  minLength: 1,
  maxLength: USERNAME_LENGTH_MAX,
  pattern:
    '^(?![+-]?\\p{Nd}+$)(?!.*\\p{Default_Ignorable_Code_Point})' +
    '[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'visible letters, digits and . _ @ + - only',
  not: NOT_A_USERNAME,
});

export const usernameRule: MemberRule = { keyword: 'pattern', findFault: findUsernameFault };

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
  not: NOT_ADDRESSABLE,
});

export const projectNameRule: MemberRule = { keyword: 'pattern', findFault: findNameFault };

export const newEmail = text({ maxLength: 254, format: 'email' });
