/**
 * Receives a request body within a limit and reads it as JSON (RFC 8259).
 *
 * Stricter than `JSON.parse`: UTF-8 must be valid (§8.1), nesting is limited before any recursion, and
 * no text may have half of a surrogate pair, which escapes can produce: databases and hashes cannot tell such
 * halves apart. `JSON.parse` gives the position of only some mistakes, and for most of them it quotes the
 * text around them, which may hold a password. So this file finds the position itself.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

type ReceivedBody =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

interface BodyReception {
  readonly received: Promise<ReceivedBody>;
  /**
   * True while bytes are missing, and until the end of a body without `Content-Length`. Node.js sets
   * `complete` later than this, even if the whole body came in the packet of the header fields.
   */
  readonly isOnItsWay: () => boolean;
}

/**
 * Call this as soon as the limit is known, even if the body is needed later. Each chunk that waits in a
 * stream takes a hundred bytes besides its content, and a client may send one-byte chunks.
 *
 * @param sizeBytesMax - At most this much is kept. A longer `Content-Length` is refused without reading.
 */
export function receiveBody(incoming: IncomingMessage, sizeBytesMax: number): BodyReception {
  const announced = incoming.headers['content-length'];
  let sizeBytes = 0;
  const isOnItsWay = () => !incoming.complete && sizeBytes !== Number(announced);
  const settled = (outcome: ReceivedBody) => ({ received: Promise.resolve(outcome), isOnItsWay });
  if (Number(announced ?? 0) > sizeBytesMax) {
    return settled({ kind: 'too-large' });
  }
  if (!hasBody(incoming)) {
    return settled({ kind: 'received', bytes: EMPTY });
  }
  if (incoming.destroyed) {
    // The client left while its credentials were checked; no event would follow.
    return settled({ kind: 'aborted' });
  }
  const received = new Promise<ReceivedBody>((resolve) => {
    let buffer: Buffer = EMPTY;
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
  return { received, isOnItsWay };
}

/** False when the request certainly has no content (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** True for `application/json` and every type with the suffix `+json` (RFC 6839 §3.1), parameters ignored. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
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
    return { kind: 'parsed', value: JSON.parse(text, isPlain(text) ? undefined : normalizeMember) };
  } catch (error) {
    const reason = error instanceof UnusableTextError ? error.message : describeMistake(text);
    return { kind: 'malformed', reason };
  }
}

/** True if no member can need normalising: most bodies are ASCII without escapes. */
function isPlain(text: string): boolean {
  return ASCII.test(text) && !text.includes('\\');
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

const MARKS_TOO_MANY = /\p{M}{31}/u;
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Normalises incoming text to Unicode NFC, and refuses text that is ill-formed or expensive to normalise.
 *
 * Sorting a run of combining marks takes quadratic time: 128 KB of them blocked the process for 1.7 s. So at
 * most 30 may follow each other. This is the limit of Unicode's Stream-Safe Text Format (UAX #15 §13), and
 * more than any language needs. `auth/authenticate.ts` has the same limit.
 *
 * @returns The text in NFC, or `undefined` when it has half of a surrogate pair, or more
 *   than 30 marks in a row.
 */
export function normalizeText(text: string): string | undefined {
  if (ASCII.test(text)) {
    return text; // most text, and in NFC already
  }
  return text.isWellFormed() && !MARKS_TOO_MANY.test(text) ? text.normalize('NFC') : undefined;
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

const SPACE = /[ \t\r\n]*/y;

/** A string, number or word. Strings match one character at a time, so a match takes at most one pass. */
const SCALAR = new RegExp(
  '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"' +
    '|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null',
  'y',
);

/** The tokens that may come next. */
type Expected = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'separator';

/**
 * @param text - Text that is not well-formed JSON.
 * @returns Line and column, from 1, of the first unexpected token.
 */
export function findJsonMistake(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, findMistakeIndex(text));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

function findMistakeIndex(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let index = 0;
  for (;;) {
    index = skip(SPACE, text, index);
    const character = text[index];
    const isKey: boolean = expected === 'first-key' || expected === 'key';
    const isValue: boolean = expected === 'value' || expected === 'first-item';
    if (isValue && (character === '{' || character === '[')) {
      open.push(character);
      expected = character === '{' ? 'first-key' : 'first-item';
      index += 1;
    } else if (isClosing(character, expected, open.at(-1))) {
      open.pop();
      expected = 'separator';
      index += 1;
    } else if (expected === 'colon' && character === ':') {
      expected = 'value';
      index += 1;
    } else if (expected === 'separator' && character === ',' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value';
      index += 1;
    } else {
      const end = isValue || (isKey && character === '"') ? skip(SCALAR, text, index) : index;
      if (end === index) {
        return index;
      }
      expected = isKey ? 'colon' : 'separator';
      index = end;
    }
  }
}

function isClosing(character: string | undefined, expected: Expected, innermost?: string): boolean {
  return innermost === '{'
    ? character === '}' && (expected === 'first-key' || expected === 'separator')
    : innermost === '[' && character === ']' && (expected === 'first-item' || expected === 'separator');
}

/** @returns The index after the match, or the same index without a match. */
function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}
