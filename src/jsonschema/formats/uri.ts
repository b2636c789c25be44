/**
 * URIs as RFC 3986 §3 defines them: any scheme, hierarchical part, optional query and fragment.
 * References without a scheme, and characters outside ASCII (RFC 3987), are refused.
 */

import { isIpv6 } from './internet.ts';

/** A character that no URI contains, or a % without its two digits. */
const FORBIDDEN = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/;

/** §3.1 and §3.2: where the parts of a URI are. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/(?<authority>[^/?#]*))?(?<rest>.*)$/;

/** §3.2: [ userinfo "@" ] host [ ":" port ]; only an address in brackets may contain colons. */
const AUTHORITY = /^(?:[^@[\]]*@)?(?:\[(?<address>[^[\]]*)\]|[^:@[\]]*)(?::[0-9]*)?$/;

/** §3.3 to §3.5: path [ "?" query ] [ "#" fragment ]. */
const REST = /^[^#[\]]*(?:#[^#[\]]*)?$/;

/** §3.2.2: IPvFuture. */
const FUTURE_ADDRESS = /^[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/;

export function isUri(text: string): boolean {
  const parts = FORBIDDEN.test(text) ? undefined : URI.exec(text)?.groups;
  if (!parts) {
    return false;
  }
  const { authority = '', rest = '' } = parts;
  return isAuthority(authority) && REST.test(rest);
}

function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  if (!match) {
    return false;
  }
  const address = match.groups?.['address'];
  return address === undefined || isIpv6(address) || FUTURE_ADDRESS.test(address);
}
