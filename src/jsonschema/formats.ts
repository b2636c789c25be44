/**
 * The formats of draft 4. None takes more time than in proportion to the length of the text: no
 * regular expression here, or in the files for the single formats, can match one text in two ways.
 */

import { isDateTime } from './formats/date-time.ts';
import { isEmail, isHostname, isIpv4, isIpv6 } from './formats/internet.ts';
import { isUri } from './formats/uri.ts';
import type { Format } from './schema.ts';

/** A kind of text. */
interface TextFormat {
  /** As in "must be an email address". */
  readonly name: string;
  readonly matches: (text: string) => boolean;
}

const formatTable: { readonly [name in Format]: TextFormat } = {
  'date-time': { name: 'a date and time like 2026-01-31T23:59:59Z', matches: isDateTime },
  email: { name: 'an email address', matches: isEmail },
  hostname: { name: 'a host name', matches: isHostname },
  ipv4: { name: 'an IPv4 address', matches: isIpv4 },
  ipv6: { name: 'an IPv6 address', matches: isIpv6 },
  uri: { name: 'an absolute URI', matches: isUri },
};

export const formats: ReadonlyMap<string, TextFormat> = new Map(Object.entries(formatTable));
