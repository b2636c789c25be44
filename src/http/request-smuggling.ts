/**
 * Refuses requests that HTTP forbids but Node.js accepts. A proxy and Node.js might interpret a forbidden
 * request in different ways. An attacker could then smuggle a second request past the proxy.
 */
import type { IncomingMessage } from 'node:http';

/** Only an attacker or a loop of proxies sends more header fields than this maximum. */
export const HEADER_FIELDS_MAX = 100;

export const TARGET_BYTES_MAX = 12_288;

/** The field `Host` has an optional host and an optional port (RFC 9110 §7.2, RFC 3986 §3.2.2). */
const HOST = /^([A-Za-z0-9\-._~!$&'()*+,;=%]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/;

/** @returns The status of the refusal, or a text with the reason if the status is 400. */
export function findViolation(incoming: IncomingMessage): 414 | 417 | 431 | string | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = incoming;
  const { host, expect = '100-continue', 'transfer-encoding': coding } = headers;
  const isVersion10 = httpVersion === '1.0';
  return rawHeaders.length > 2 * HEADER_FIELDS_MAX ? 431
    : url.length > TARGET_BYTES_MAX ? 414 // Node.js turns each byte of the target into one character
    : !isVersion10 && httpVersion !== '1.1' // Node.js parses HTTP/0.9 and HTTP/2.0, too
      ? 'only HTTP/1.0 and HTTP/1.1 are supported'
    // RFC 9112 §3.2: a request must get the status 400 if `Host` is missing, repeated or invalid.
    : countFields(rawHeaders, 'host') > 1 || (host === undefined && !isVersion10) || !HOST.test(host ?? '')
      ? 'HTTP requires exactly one valid Host field'
    : countFields(rawHeaders, 'authorization') > 1 ? 'there is more than one Authorization field'
    // RFC 9112 §6.1: Transfer-Encoding does not exist in HTTP/1.0.
    : isVersion10 && coding !== undefined ? 'Transfer-Encoding requires HTTP/1.1'
    // RFC 9110 §10.1.1: 100-continue is the only expectation, and HTTP/1.0 has no expectations.
    : !isVersion10 && !/(^|\W)100-continue($|\W)/i.test(expect) ? 417
    : undefined;
}

function countFields(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    count += Number(field.length === name.length && field.toLowerCase() === name);
  }
  return count;
}
