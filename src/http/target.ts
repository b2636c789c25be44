/**
 * The request target (RFC 9112 §3.2): origin-form `/path?query`, and absolute-form `http://host/path?query`.
 * The host of an absolute-form target is ignored. Segments are decoded once, and only here. Dot segments are
 * ordinary names and are not resolved.
 *
 * Queries have the form that HTML forms and curl send (URL Standard, application/x-www-form-urlencoded):
 * pairs joined by `&`, `+` for a space, percent-encoded UTF-8. The parser of the standard guesses what
 * malformed text means; the parser of this file refuses such text.
 */
import { normalizeText } from './text.ts';

/** All values of each parameter, in the order received. */
export type Query = ReadonlyMap<string, readonly string[]>;

interface Target {
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** Decoded. */
  readonly segments: readonly string[];
  readonly query: Query;
}

/** Visible ASCII except `#`. Clients send no fragments, and percent-encode all other characters. */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?#]+/i;

/** @returns `undefined` if the target is malformed. */
export function parseTarget(target: string): Target | undefined {
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  const originForm = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  const [path, queryText] = splitAtFirst(originForm, '?');
  const query = parseQuery(queryText);
  // Split first and decoded second: `/a/b%2Fc` has the segments `a` and `b/c`.
  const segments = path.slice(1).split('/').map(decodePercent);
  const isUri = path.startsWith('/') && URI_CHARACTERS.test(target);
  return isUri && query !== undefined && segments.every((segment) => segment !== undefined)
    ? { path, segments, query }
    : undefined;
}

/** @param text - Without the leading `?`. @returns `undefined` if an escape is malformed or not UTF-8. */
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

/**
 * @returns The text before and after the first separator; without a separator, the whole text and an empty
 *   text.
 */
function splitAtFirst(text: string, separator: string): readonly [string, string] {
  const index = (text + separator).indexOf(separator);
  return [text.slice(0, index), text.slice(index + 1)];
}

/** Characters that need no decoding (RFC 3986 §2.3). Most names have only these characters. */
const UNRESERVED = /^[A-Za-z0-9._~-]*$/;

/** Decodes percent-encoded UTF-8 once. @returns Text in NFC, or `undefined` for malformed text. */
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
