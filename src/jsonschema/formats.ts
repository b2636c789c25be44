/** Formats of strings. Each check takes linear time, because no regular expression backtracks. */

/** A date and time, as in 2026-01-31T23:59:59.25+01:00 (RFC 3339 §5.6), but no leap second. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.]\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An email address has at most 256 characters with its two angle brackets (RFC 5321 §4.5.3.1.3). */
const EMAIL_LENGTH_MAX = 254;
/** The maximum length of the part before the `@` (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART_LENGTH_MAX = 64;
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
/** A part of a host name: letters, digits and inner hyphens (RFC 1123 §2.1). */
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/** The title of a format completes the sentence "must be …". */
export const FORMATS = {
  'date-time': { title: 'a date and time like 2026-01-31T23:59:59Z', matches: isDateTime },
  email: { title: 'an email address', matches: isEmail },
};

export type Format = keyof typeof FORMATS;

function isDateTime(text: string): boolean {
  const [, day] = DATE_TIME.exec(text) ?? [];
  // `Date.parse` may read 30 February as 2 March, so the returned day must be the day in the text.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${day}T`);
}

/**
 * The usual form of a mailbox (RFC 5321 §4.1.2): a local part with dots, and a domain name. Quoted local
 * parts, addresses in brackets, and characters outside ASCII (RFC 6531) are refused.
 */
function isEmail(text: string): boolean {
  const [localPart = '', domain = '', ...rest] = text.length <= EMAIL_LENGTH_MAX ? text.split('@') : [];
  return (
    rest.length === 0 &&
    localPart.length <= LOCAL_PART_LENGTH_MAX &&
    localPart.split('.').every((atom) => ATOM.test(atom)) &&
    domain.split('.').every((label) => LABEL.test(label))
  );
}
