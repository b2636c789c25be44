/**
 * The request target (RFC 9112 §3.2): origin-form `/path?query`, or absolute-form `http://host/path?query`.
 * The host of an absolute-form target is ignored. Dot segments are ordinary names.
 *
 * Queries are written as `application/x-www-form-urlencoded` (URL Standard). Malformed escapes are refused;
 * the parser of the standard would guess their meaning.
 */
import { normalizeText } from './text.ts';

export type Query = ReadonlyMap<string, readonly string[]>;

interface Target {
  /** As it was sent, without the query. */
  readonly path: string;
  /** Decoded. */
  readonly segments: readonly string[];
  readonly query: Query;
}

/** Visible ASCII except `#`. Clients send no fragments, and percent-encode all other characters. */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?#]+/i;

export function parseTarget(target: string): Target | undefined {
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  const originForm = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  const [path, queryText] = splitAtFirst(originForm, '?');
  const query = parseQuery(queryText);
  // `/a/b%2Fc` has the segments `a` and `b/c`.
  const segments = path.slice(1).split('/').map(decodePercent);
  const isUri = path.startsWith('/') && URI_CHARACTERS.test(target);
  return isUri && query !== undefined && segments.every((segment) => segment !== undefined)
    ? { path, segments, query }
    : undefined;
}

export function parseQuery(text: string): Query | undefined {
  const query = new Map<string, string[]>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [name, value] = splitAtFirst(pair.replaceAll('+', ' '), '=').map(decodePercent);
    if (name === undefined || value === undefined) {
      return undefined;
    }
    const values = query.get(name) ?? [];
    values.push(value);
    query.set(name, values);
  }
  return query;
}

function splitAtFirst(text: string, separator: string): readonly [string, string] {
  const index = (text + separator).indexOf(separator);
  return [text.slice(0, index), text.slice(index + 1)];
}

/** RFC 3986 §2.3. Most names have only these characters. */
const UNRESERVED = /^[A-Za-z0-9._~-]*$/;

/** Decodes percent-encoded UTF-8 once, to NFC. */
export function decodePercent(text: string): string | undefined {
  if (UNRESERVED.test(text)) {
    return text;
  }
  try {
    return normalizeText(decodeURIComponent(text));
  } catch {
    return undefined; // decodeURIComponent throws only for malformed escapes
  }
}
