/** Finds requests that Node.js accepts and HTTP forbids, to prevent request smuggling past a proxy. */
import type { IncomingMessage } from 'node:http';

/** A request with more header fields is an attack, or comes from a loop of proxies. */
export const HEADER_FIELDS_MAX = 100;

export const TARGET_BYTES_MAX = 12_288;

/** `Host`: a name or an address, and an optional port; may be empty (RFC 9110 §7.2, 3986 §3.2.2). */
const HOST = /^([A-Za-z0-9\-._~!$&'()*+,;=%]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/;

/** @returns The status of a refusal; instead of the status 400, a reason that completes a sentence. */
export function findFramingFault(incoming: IncomingMessage): 414 | 417 | 431 | string | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = incoming;
  if (rawHeaders.length > 2 * HEADER_FIELDS_MAX) {
    return 431;
  }
  if (url.length > TARGET_BYTES_MAX) { // Node.js makes one character of each byte
    return 414;
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return 'only HTTP/1.0 and HTTP/1.1 are supported'; // Node.js parses HTTP/0.9 and HTTP/2.0, too
  }
  const hosts = countFields(rawHeaders, 'host');
  // RFC 9112 §3.2 demands 400 for a request without `Host`, with several `Host` fields, or with an invalid
  // `Host`.
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) {
    return 'HTTP requires exactly one valid Host field';
  }
  if (countFields(rawHeaders, 'authorization') > 1) {
    return 'there is more than one Authorization field';
  }
  // RFC 9112 §6.1: Transfer-Encoding does not exist in HTTP/1.0.
  if (httpVersion === '1.0' && isChunked(incoming)) {
    return 'Transfer-Encoding requires HTTP/1.1';
  }
  // RFC 9110 §10.1.1: 100-continue is the only expectation, and HTTP/1.0 has no expectations.
  const { expect = '100-continue' } = headers;
  return httpVersion === '1.1' && !/(^|\W)100-continue($|\W)/i.test(expect) ? 417 : undefined;
}

function countFields(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    count += Number(field.length === name.length && field.toLowerCase() === name);
  }
  return count;
}

/** False only if the request has no content (RFC 9112 §6.3). */
export function hasBody(incoming: IncomingMessage): boolean {
  return isChunked(incoming) || Number(incoming.headers['content-length'] ?? 0) > 0;
}

export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}
