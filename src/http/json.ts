/**
 * Reads bytes as JSON (RFC 8259), more strictly than `JSON.parse`. A lone surrogate, such as `\ud800`, is
 * refused: UTF-8 cannot encode lone surrogates, so two different passwords could have the same hash.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { normalizeText } from './text.ts';

/** The `reason` completes `Cannot read the body: …`, and never quotes the body, which may hold passwords. */
type ParsedJson = { readonly value: unknown } | { readonly reason: string };

const JSON_DEPTH_MAX = 64;

export function parseJson(bytes: Buffer): ParsedJson {
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
