/**
 * Finds requests that Node.js accepts but HTTP forbids, because two recipients could parse them differently.
 */
import type { IncomingMessage } from 'node:http';

export const FRAMING_LIMITS = {
  /** The most header fields. A request with more is an attack or comes from a loop of proxies. */
  headerFieldsMax: 100,
  /** The longest path and query together. */
  targetBytesMax: 12_288,
};

export type FramingLimits = Readonly<typeof FRAMING_LIMITS>;

/**
 * The value of `Host`: a name or a literal address, and a port (RFC 3986 §3.2.2, §3.2.3). The value may be
 * empty (RFC 9110 §7.2).
 */
const HOST = /^([A-Za-z0-9\-._~!$&'()*+,;=%]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/;

/** The status of the refusal, and for 400 a reason that completes a sentence. */
interface FramingFault {
  readonly status: 400 | 414 | 417 | 431;
  readonly reason?: string;
}

export function findFramingFault(incoming: IncomingMessage, limits: FramingLimits): FramingFault | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = incoming;
  if (rawHeaders.length > 2 * limits.headerFieldsMax) {
    return { status: 431 };
  }
  if (url.length > limits.targetBytesMax) { // Node.js decodes each byte as one character
    return { status: 414 };
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return ambiguous('only HTTP/1.0 and HTTP/1.1 are supported'); // Node.js parses 0.9 and 2.0 as 1.x
  }
  const hosts = countFields(rawHeaders, 'host');
  // RFC 9112 §3.2: 400 for a request without Host, with more than one, or with an invalid one.
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) {
    return ambiguous('HTTP requires exactly one valid Host field');
  }
  if (countFields(rawHeaders, 'authorization') > 1) {
    return ambiguous('there is more than one Authorization field');
  }
  // RFC 9112 §6.1: Transfer-Encoding does not exist in HTTP/1.0.
  if (httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined) {
    return ambiguous('Transfer-Encoding requires HTTP/1.1');
  }
  // RFC 9110 §10.1.1: 100-continue is the only expectation, and HTTP/1.0 has none.
  const { expect } = headers;
  if (httpVersion === '1.1' && expect !== undefined && !/(^|\W)100-continue($|\W)/i.test(expect)) {
    return { status: 417 };
  }
  return undefined;
}

function ambiguous(reason: string): FramingFault {
  return { status: 400, reason };
}

/** @param rawHeaders - Names and values in turn. */
function countFields(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, index) =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name).length;
}
