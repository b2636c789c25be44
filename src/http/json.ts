/**
 * Reads bytes as JSON (RFC 8259), more strictly than `JSON.parse`. Half of a surrogate pair, as in `\ud800`,
 * has no bytes in UTF-8, so different halves would be equal in the database and in hashes.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { normalizeText } from './text.ts';

/** `reason` completes a sentence, and never quotes the body, which may hold passwords. */
type ParsedJson = { readonly value: unknown } | { readonly reason: string };

const JSON_DEPTH_MAX = 64;

export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) {
    return { reason: 'it is not valid UTF-8' };
  }
  const text = bytes.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, JSON_DEPTH_MAX)) {
      return { reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` };
    }
    return isAscii(bytes) && !text.includes('\\') ? { value } : parseNormalized(text);
  } catch {
    return { reason: 'it is not well-formed JSON' };
  }
}

function parseNormalized(text: string): ParsedJson {
  let isUsable = true;
  const value: unknown = JSON.parse(text, (key, member: unknown) => {
    const normalized = typeof member === 'string' ? normalizeText(member) : member;
    isUsable &&= normalizeText(key) !== undefined && normalized !== undefined;
    return normalized;
  });
  const reason = 'it contains half of a surrogate pair, or more than 30 combining marks in a row';
  return isUsable ? { value } : { reason };
}

/** `JSON.parse` reads any depth of nesting, but a deep value would overflow the stack later. */
function isDeeperThan(value: unknown, depthMax: number): boolean {
  return typeof value === 'object' && value !== null
    && (depthMax === 0 || Object.values(value).some((member) => isDeeperThan(member, depthMax - 1)));
}
