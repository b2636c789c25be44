/**
 * The request target (RFC 9112 §3.2): origin-form `/path?query`, or absolute-form `http://host/path?query`,
 * whose host is ignored. The path segments `.` and `..` have no special meaning.
 *
 * Queries are written as `application/x-www-form-urlencoded` (URL Standard). Malformed escapes are refused,
 * although the parser of the URL Standard accepts them.
 */
import { decodePercent } from './text.ts';

export type Query = ReadonlyMap<string, readonly string[]>;

/** Visible ASCII except `#`, because clients send no fragment and percent-encode all other characters. */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const PATH_AND_QUERY = /^(?:https?:\/\/[^/?]+|(?=\/))([^?]*)\??(.*)$/i;

/** @returns The path as the client sent it, its decoded segments, and the query. */
export function parseTarget(target: string) {
  const [, path, queryText = ''] = (URI_CHARACTERS.test(target) && PATH_AND_QUERY.exec(target)) || [];
  const parts = path?.slice(1).split('/'); // before decoding: `/a/b%2Fc` has the segments `a` and `b/c`
  const segments = parts && path?.includes('%') ? decodePercent(parts) : parts;
  const query = parseQuery(queryText);
  return segments && query && { path: path || '/', segments, query };
}

export function parseQuery(text: string): Query | undefined {
  const query = new Map<string, string[]>();
  for (const pair of text.replaceAll('+', ' ').split('&').filter(Boolean)) {
    const index = `${pair}=`.indexOf('=');
    const [name, value] = decodePercent([pair.slice(0, index), pair.slice(index + 1)]) ?? [];
    if (name === undefined || value === undefined) {
      return undefined;
    }
    const values = query.get(name) ?? [];
    values.push(value);
    query.set(name, values);
  }
  return query;
}
