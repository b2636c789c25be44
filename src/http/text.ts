/** Reads text that clients send, in JSON or percent-encoded. All text is UTF-8, and is normalised to NFC. */
import { isAscii, isUtf8 } from 'node:buffer';

/**
 * Normalises text to NFC, and refuses halves of surrogate pairs and more than 30 combining marks in a row.
 * Normalising many combining marks in a row takes quadratic time: for 128 KB of marks, it takes 1.7 s. No
 * language needs more than 30 combining marks in a row (Stream-Safe Text Format, UAX #15 §13).
 */
export function normalizeText(text: string): string | undefined {
  return /^[\x00-\x7f]*$/.test(text) ? text // ASCII is always NFC
    : text.isWellFormed() && !/\p{M}{31}/u.test(text) ? text.normalize('NFC')
    : undefined;
}

export function decodePercent(texts: readonly string[]): readonly string[] | undefined {
  try {
    const decoded = texts.map((text) => normalizeText(decodeURIComponent(text)));
    return decoded.every((text) => text !== undefined) ? decoded : undefined;
  } catch {
    return undefined; // decodeURIComponent throws only for malformed escapes
  }
}

const JSON_DEPTH_MAX = 64;

/**
 * Reads bytes as JSON (RFC 8259), more strictly than `JSON.parse`. A lone surrogate, such as `\ud800`, is
 * refused: UTF-8 cannot encode lone surrogates, so two different passwords could have the same hash.
 *
 * @returns The `reason` completes the sentence `Cannot read the body: …`. The reason never quotes the body,
 *   because a body can contain a password.
 */
export function parseJson(bytes: Buffer): { readonly value: unknown } | { readonly reason: string } {
  if (!isUtf8(bytes)) {
    return { reason: 'it is not valid UTF-8' };
  }
  const text = bytes.toString('utf8');
  let isUsable = true;
  const normalize = (key: string, member: unknown): unknown => {
    const normal = typeof member === 'string' ? normalizeText(member) : member;
    isUsable &&= normalizeText(key) !== undefined && normal !== undefined;
    return normal;
  };
  try {
    const parsed: unknown = JSON.parse(text);
    if (isDeeperThan(parsed, JSON_DEPTH_MAX)) {
      return { reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` };
    }
    const value: unknown = isAscii(bytes) && !text.includes('\\') ? parsed : JSON.parse(text, normalize);
    const reason = 'it contains half of a surrogate pair, or more than 30 combining marks in a row';
    return isUsable ? { value } : { reason };
  } catch {
    return { reason: 'it is not well-formed JSON' };
  }
}

/** `JSON.parse` reads any depth of nesting, but a deep value would overflow the stack later. */
function isDeeperThan(value: unknown, depthMax: number): boolean {
  return typeof value === 'object' && value !== null
    && (depthMax === 0 || Object.values(value).some((member) => isDeeperThan(member, depthMax - 1)));
}
