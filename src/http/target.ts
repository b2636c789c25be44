/**
 * The request target (RFC 9112 §3.2): origin-form `/path?query`, or absolute-form `http://host/path?query`.
 * The host of an absolute-form target is ignored. The segments `.` and `..` are ordinary names.
 *
 * Queries are written as `application/x-www-form-urlencoded` (URL Standard). Malformed escapes are refused;
 * the parser of the URL Standard would guess their meaning.
 */
import { normalizeText } from './text.ts';

export type Query = ReadonlyMap<string, readonly string[]>;

interface Target {
  /** The path as the client sent it, without the query. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: Query;
}

/** Visible ASCII except `#`: clients send no fragments, and percent-encode all other characters. */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const PATH_AND_QUERY = /^(?:https?:\/\/[^/?]+|(?=\/))([^?]*)\??(.*)$/i;

export function parseTarget(target: string): Target | undefined {
  const [, path, queryText = ''] = (URI_CHARACTERS.test(target) && PATH_AND_QUERY.exec(target)) || [];
  const segments = path?.slice(1).split('/').map(decodePercent); // `/a/b%2Fc` has the segments `a` and `b/c`
  const query = parseQuery(queryText);
  return query !== undefined && segments?.every((segment) => segment !== undefined)
    ? { path: path || '/', segments, query }
    : undefined;
}

export function parseQuery(text: string): Query | undefined {
  const query = new Map<string, string[]>();
  for (const pair of text.replaceAll('+', ' ').split('&').filter((part) => part !== '')) {
    const index = `${pair}=`.indexOf('=');
    const [name, value] = [pair.slice(0, index), pair.slice(index + 1)].map(decodePercent);
    if (name === undefined || value === undefined) {
      return undefined;
    }
    const values = query.get(name) ?? [];
    values.push(value);
    query.set(name, values);
  }
  return query;
}

/** Most names have only characters that need no decoding (RFC 3986 §2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]*$/;

/** Decodes percent-encoded UTF-8 once, to NFC. */
function decodePercent(text: string): string | undefined {
  if (UNRESERVED.test(text)) {
    return text;
  }
  try {
    return normalizeText(decodeURIComponent(text));
  } catch {
    return undefined; // decodeURIComponent throws only for malformed escapes
  }
}
