/** Rules for new names, passwords and email addresses. The maximum lengths of names are in model/name.ts. */
import { COMMON_PASSWORDS } from '../auth/common-passwords.ts';
import { normalizeText } from '../http/text.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import { object, text, type TypedSchema } from '../jsonschema/schema.ts';
import { isOfOneScript, PROJECT_NAME_LENGTH_MAX, toNameKey, USERNAME_LENGTH_MAX } from '../model/name.ts';
import { TOKEN_PATTERN } from '../model/token.ts';

/** The characters that change the direction of text: embeddings, overrides and isolates (UAX #9 §2). */
export const DIRECTIONS = '\\u202a-\\u202e\\u2066-\\u2069';

/** Matches invisible characters, such as joiners of emoji. Keys of names have no invisible characters. */
const INVISIBLE = `((?![${DIRECTIONS}])\\p{Default_Ignorable_Code_Point})*`;

// Matches names that cannot stand in a path. Invisible characters in a name do not prevent a match. In a
// path, an integer means an id, and browsers remove `.` and `..`.
const NOT_ADDRESSABLE =
  `${INVISIBLE}([+-]${INVISIBLE})?(\\p{Nd}${INVISIBLE})+$|${INVISIBLE}(\\.${INVISIBLE}){1,2}$`;

/** Programs can send a token as username or password, so no username or password can look like a token. */
const TOKEN_FORM = TOKEN_PATTERN.slice(1);

/** Many languages need combining marks. Invisible characters, such as U+3164 and U+034F, are refused. */
export const newUsername = text({
  minLength: 1,
  maxLength: USERNAME_LENGTH_MAX,
  pattern:
    `^(?!${NOT_ADDRESSABLE}|${TOKEN_FORM})(?!.*\\p{Default_Ignorable_Code_Point})` +
    '[\\p{L}\\p{Nd}._@+-][\\p{L}\\p{M}\\p{Nd}._@+-]*$',
  title: 'text of visible letters, digits and . _ @ + -, but not a number, ".", ".." or a token',
  check: findUsernameFault,
});

export function findUsernameFault(username: string) {
  if (!isOfOneScript(username)) {
    return { keyword: 'pattern', message: 'must use only one writing system, such as Latin or Greek' };
  }
  // In the key of a name, the single letter U+FDFA becomes four words with spaces between them.
  return /\p{White_Space}/u.test(toNameKey(username))
    ? { keyword: 'pattern', message: 'must have no character that stands for several words' }
    : findNameFault(username);
}

/** Refuses names with long keys, which slow down searches. The letter U+FDFA has a key of 18 characters. */
function findNameFault(name: string) {
  return Array.from(toNameKey(name)).length <= PROJECT_NAME_LENGTH_MAX
    ? undefined
    : { keyword: 'pattern', message: 'must have fewer characters that stand for several characters' };
}

/** Control and format characters, line separators, and invisible characters. */
const HIDDEN = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** The empty braille pattern (U+2800) looks like a space. */
const SPACE = '\\p{White_Space}\\u2800';

export const newProjectName = text({
  minLength: 1,
  maxLength: PROJECT_NAME_LENGTH_MAX,
  pattern:
    `^(?!${NOT_ADDRESSABLE}|${INVISIBLE}[${SPACE}])(${INVISIBLE}[^${HIDDEN}])+${INVISIBLE}` +
    `(?<![${SPACE}]${INVISIBLE})$`,
  title:
    'visible text without control characters or bidirectional controls, without white space at either end, ' +
    'and not a number, "." or ".."',
  check: findNameFault,
});

/** An email address and two angle brackets together have at most 256 characters (RFC 5321 §4.5.3.1.3). */
export const newEmail = text({ maxLength: 254, format: 'email', check: findEmailFault });

/** The maximum length of the part before the `@` (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART_LENGTH_MAX = 64;
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
/** A part of a host name: letters, digits and inner hyphens (RFC 1123 §2.1). */
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/**
 * Accepts the usual form of a mailbox (RFC 5321 §4.1.2): a local part with dots, and a domain name. Quoted
 * local parts, IP addresses in square brackets, and non-ASCII characters (RFC 6531) are refused.
 */
function findEmailFault(email: string) {
  const [localPart = '', domain = '', ...rest] = email.split('@');
  const isMailbox = rest.length === 0
    && localPart.length <= LOCAL_PART_LENGTH_MAX
    && localPart.split('.').every((atom) => ATOM.test(atom))
    && domain.split('.').every((label) => LABEL.test(label));
  return isMailbox ? undefined : { keyword: 'format', message: 'must be an email address' };
}

/** If `PASSWORD_MIN_LENGTH` is at least this number, common passwords are refused. */
const COMMON_PASSWORDS_REFUSED_FROM = 8;

const PASSWORD_BYTES_MAX = 1_024;

/** Rules that ask for certain characters, such as digits, would make passwords worse (NIST SP 800-63B). */
export function newPassword(minLength: number) {
  const refusesCommon = minLength >= COMMON_PASSWORDS_REFUSED_FROM;
  return text({
    description: (refusesCommon ? 'The most common passwords are refused. ' : '') +
      `At most ${PASSWORD_BYTES_MAX} bytes in UTF-8, without NUL. A text that looks like a token is refused.`,
    minLength,
    maxLength: PASSWORD_BYTES_MAX,
    // The file auth/password.ts explains why NUL is refused.
    pattern: `^(?!${TOKEN_FORM})[^\\u0000]*$`,
    title: 'text without NUL characters, and not in the form of a token',
    check(password) {
      if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) { // `maxLength` counts characters, not bytes
        return { keyword: 'maxLength', message: `must be at most ${PASSWORD_BYTES_MAX} bytes of UTF-8` };
      }
      return refusesCommon && COMMON_PASSWORDS.has(password.toLowerCase())
        ? { keyword: 'pattern', message: 'must not be one of the most common passwords' }
        : undefined;
    },
  });
}

export const newUser = (passwordLengthMin: number) =>
  ({ username: newUsername, password: newPassword(passwordLengthMin), email: newEmail });

const NOT_TEXT = 'must be UTF-8, with at most 30 combining marks in a row';

export type AccountRules<Name extends string> = Readonly<Record<Name, TypedSchema<string>>>;

/**
 * Returns a function that checks an account. Settings or a command define the account. The function returns
 * the account in normal form, and a list of error messages such as `email must be an email address`.
 */
export function compileAccountCheck<Name extends string>(rules: AccountRules<Name>) {
  const validate = compileSchema(object(rules).json);
  return (account: Readonly<Record<Name, string>>) => {
    // Decoders write U+FFFD in place of bytes that are not UTF-8.
    const texts = Object.fromEntries(Object.entries<string>(account).map(([name, text]) =>
      [name, text.includes('\ufffd') ? undefined : normalizeText(text)]));
    const faults = validate(texts).map(({ pointer, keyword, message }) =>
      `${pointer.slice(1)} ${keyword === 'type' ? NOT_TEXT : message}`);
    // If there are no faults, each member of `texts` is a string.
    return { normal: faults.length > 0 ? account : texts as typeof account, faults };
  };
}
