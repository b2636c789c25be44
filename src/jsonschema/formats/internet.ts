/** Names and addresses of the Internet: hosts, IPv4, IPv6, and mailboxes. */

/** The longest name that fits in DNS without the dot of the root (RFC 1035 §2.3.4). */
const HOSTNAME_LENGTH_MAX = 253;

/** The longest mailbox that fits in a path with its angle brackets (RFC 5321 §4.5.3.1.3). */
const EMAIL_LENGTH_MAX = 254;

/** RFC 5321 §4.5.3.1.1. */
const LOCAL_PART_LENGTH_MAX = 64;

const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const DECIMAL_OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const HEX_GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** RFC 1123 §2.1: labels of letters, digits and inner hyphens; without a dot at the end. */
export function isHostname(text: string): boolean {
  return text.length <= HOSTNAME_LENGTH_MAX && text.split('.').every((label) => LABEL.test(label));
}

/** Four decimal numbers. Leading zeros are refused, because some programs read them as octal. */
export function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return (
    octets.length === 4 &&
    octets.every((octet) => DECIMAL_OCTET.test(octet) && Number(octet) <= 255)
  );
}

/**
 * RFC 4291 §2.2: eight groups, fewer around one `::`, and optionally an IPv4 address in place of
 * the last two. Without zone (RFC 4007), prefix length or brackets.
 */
export function isIpv6(text: string): boolean {
  const lastGroup = text.lastIndexOf(':') + 1;
  const hex = isIpv4(text.slice(lastGroup)) ? `${text.slice(0, lastGroup)}0:0` : text;
  const halves = hex.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const isComplete = halves.length === 1 && groups.length === 8;
  const isShortened = halves.length === 2 && groups.length <= 7;
  return (isComplete || isShortened) && groups.every((group) => HEX_GROUP.test(group));
}

/**
 * The mailbox of RFC 5321 §4.1.2 in the form that people have: a dotted local part and a domain
 * name. Left out are quoted local parts, hosts given by address in brackets, and everything outside
 * ASCII (RFC 6531).
 */
export function isEmail(text: string): boolean {
  if (text.length > EMAIL_LENGTH_MAX) {
    return false;
  }
  const [localPart = '', domain = '', ...rest] = text.split('@');
  return (
    rest.length === 0 &&
    localPart.length <= LOCAL_PART_LENGTH_MAX &&
    localPart.split('.').every((atom) => ATOM.test(atom)) &&
    isHostname(domain)
  );
}
