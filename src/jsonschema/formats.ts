/** Formats of strings. Each check takes time in proportion to the length of the text: nothing backtracks. */

import type { Format } from './schema.ts';

interface TextFormat {
  /** The format in words, as in "must be an email address". */
  readonly title: string;
  readonly matches: (text: string) => boolean;
}

export const textFormats: { readonly [name in Format]: TextFormat } = {
  'date-time': { title: 'a date and time like 2026-01-31T23:59:59Z', matches: isDateTime },
  email: { title: 'an email address', matches: isEmail },
};

const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const DATE_TIME = new RegExp(
  String.raw`^(?<day>\d{4}-\d\d-\d\d)[Tt](?<clock>${CLOCK}):(?<second>[0-5]\d|60)` +
    String.raw`([.]\d+)?(?<zone>[Zz]|[+-]${CLOCK})$`,
);

/**
 * A date and time by RFC 3339 §5.6: 2026-01-31T23:59:59.25+01:00. The day must exist in the calendar. Second
 * 60 is accepted only where a leap second can be inserted.
 */
function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text)?.groups;
  if (!parts) {
    return false;
  }
  const { day = '', clock = '', second, zone = '' } = parts;
  return isInCalendar(day) && (second !== '60' || endsMonth(`${day}T${clock}:59${zone.toUpperCase()}`));
}

/** `Date.parse` may read 30 February as 2 March. Only a day that exists is written back unchanged. */
function isInCalendar(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Leap seconds are inserted only after the last second of a month in UTC (RFC 3339 §5.7). */
function endsMonth(instant: string): boolean {
  return new Date(Date.parse(instant) + 1000).toISOString().includes('-01T00:00:00');
}

/** The longest mailbox that fits in a path with its angle brackets (RFC 5321 §4.5.3.1.3). */
const EMAIL_LENGTH_MAX = 254;

/** The longest local part (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART_LENGTH_MAX = 64;

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;

/** A part of a host name: letters, digits and inner hyphens (RFC 1123 §2.1). */
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/**
 * The mailbox of RFC 5321 §4.1.2 in its usual form: a dotted local part and a domain name. Left out are
 * quoted local parts, addresses in brackets, and everything outside ASCII (RFC 6531).
 */
function isEmail(text: string): boolean {
  if (text.length > EMAIL_LENGTH_MAX) {
    return false;
  }
  const [localPart = '', domain = '', ...rest] = text.split('@');
  return (
    rest.length === 0 &&
    localPart.length <= LOCAL_PART_LENGTH_MAX &&
    localPart.split('.').every((atom) => ATOM.test(atom)) &&
    domain.split('.').every((label) => LABEL.test(label))
  );
}
