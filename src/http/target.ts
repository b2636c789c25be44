/**
 * The request target (RFC 9112 §3.2): origin-form `/path?query`, absolute-form `http://host/path?query`
 * (served by its path, whatever the host), and asterisk-form `*`. Segments are decoded once, here and nowhere
 * else; dot segments are ordinary names and are not resolved.
 */
import { decodePercent, parseQuery, type Query } from './query.ts';

interface ResourceTarget {
  readonly kind: 'resource';
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The decoded segments of the path. */
  readonly segments: readonly string[];
  readonly query: Query;
}

type Target =
  | ResourceTarget
  | { readonly kind: 'server' }
  | { readonly kind: 'malformed' };

const MALFORMED: Target = { kind: 'malformed' };

/** Visible ASCII except `#`: fragments are never sent, and all other characters must be percent-encoded. */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?#]+/i;

export function parseTarget(target: string): Target {
  if (target === '*') {
    return { kind: 'server' };
  }
  const originForm = target.startsWith('/') ? target : toOriginForm(target);
  if (originForm === undefined || !URI_CHARACTERS.test(target)) {
    return MALFORMED;
  }
  const mark = originForm.indexOf('?');
  const path = mark === -1 ? originForm : originForm.slice(0, mark);
  const query = parseQuery(mark === -1 ? '' : originForm.slice(mark + 1));
  const segments = decodeSegments(path);
  return query === undefined || segments === undefined
    ? MALFORMED
    : { kind: 'resource', path, segments, query };
}

function toOriginForm(target: string): string | undefined {
  const prefix = SCHEME_AND_AUTHORITY.exec(target)?.[0];
  if (prefix === undefined) {
    return undefined;
  }
  const rest = target.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Splits a path first and decodes each segment second: `/a/b%2Fc` has the segments `a` and `b/c`. */
function decodeSegments(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    const segment = decodePercent(raw);
    if (segment === undefined) {
      return undefined;
    }
    segments.push(segment);
  }
  return segments;
}
