/**
 * Receives a request body within a limit and reads it as JSON (RFC 8259).
 *
 * Stricter than `JSON.parse`: UTF-8 must be valid (§8.1), nesting is limited before any recursion, and
 * `text.ts` must accept every text. Escapes can produce lone surrogates, which databases and hashes cannot
 * tell apart.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { findJsonMistake } from './json-position.ts';
import { normalizeText } from './text.ts';

export type ReceivedBody =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/**
 * Call this as soon as the limit is known, even if the body is needed later. Each chunk that waits in a
 * stream takes a hundred bytes besides its content, and a client may send one-byte chunks.
 *
 * @param sizeBytesMax - At most this much is kept. A longer `Content-Length` is refused without reading.
 */
export function receiveBody(incoming: IncomingMessage, sizeBytesMax: number): Promise<ReceivedBody> {
  if (Number(incoming.headers['content-length'] ?? 0) > sizeBytesMax) {
    return Promise.resolve({ kind: 'too-large' });
  }
  if (incoming.destroyed) {
    // The client left while its credentials were checked; no event would follow.
    return Promise.resolve({ kind: 'aborted' });
  }
  return new Promise((resolve) => {
    let buffer: Buffer = EMPTY;
    let sizeBytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      const offset = sizeBytes;
      sizeBytes += chunk.length;
      if (sizeBytes > sizeBytesMax) {
        buffer = EMPTY;
        resolve({ kind: 'too-large' });
      } else {
        buffer = ensureCapacity(buffer, sizeBytes);
        chunk.copy(buffer, offset);
      }
    });
    incoming.on('end', () => resolve({ kind: 'received', bytes: buffer.subarray(0, sizeBytes) }));
    incoming.on('error', () => resolve({ kind: 'aborted' })); // the client went away, or was too slow
    incoming.on('close', () => resolve({ kind: 'aborted' })); // no effect after `end`
  });
}

/** False when the request certainly has no content (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const EMPTY = Buffer.alloc(0);

/** Doubles the buffer, so that a body of many chunks is copied only a few times. */
function ensureCapacity(buffer: Buffer, sizeBytes: number): Buffer {
  if (sizeBytes <= buffer.length) {
    return buffer;
  }
  const larger = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * buffer.length));
  buffer.copy(larger);
  return larger;
}

/** `reason` completes a sentence for the caller. It never quotes the body, which may hold a password. */
type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly reason: string };

const JSON_DEPTH_MAX = 64;

export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) {
    return { kind: 'malformed', reason: 'it is not valid UTF-8' };
  }
  const text = bytes.toString('utf8');
  if (isDeeperThan(text, JSON_DEPTH_MAX)) {
    return { kind: 'malformed', reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` };
  }
  try {
    return { kind: 'parsed', value: JSON.parse(text, normalizeMember) };
  } catch (error) {
    const reason = error instanceof UnusableTextError ? error.message : describeMistake(text);
    return { kind: 'malformed', reason };
  }
}

function describeMistake(text: string): string {
  const { line, column } = findJsonMistake(text);
  return `it is not well-formed JSON at line ${line}, column ${column}`;
}

class UnusableTextError extends Error {}

function normalizeMember(key: string, value: unknown): unknown {
  const normalized = typeof value === 'string' ? normalizeText(value) : value;
  if (normalizeText(key) === undefined || (normalized === undefined && value !== undefined)) {
    throw new UnusableTextError(
      'it contains half of a surrogate pair, or more than 30 combining marks in a row',
    );
  }
  return normalized;
}

/**
 * Counts brackets outside strings in one scan. The result for text that is not JSON is arbitrary; parsing
 * fails afterwards.
 */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') {
        index += 1; // the escaped character
      } else if (character === '"') {
        isInString = false;
      }
    } else if (character === '"') {
      isInString = true;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > depthMax) {
        return true;
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
  }
  return false;
}

/** True for `application/json` and every type with the suffix `+json` (RFC 6839 §3.1), parameters ignored. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
