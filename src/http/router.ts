/**
 * Reads the target of a request (RFC 9112 §3.2), and finds the routes of its path. A target has the
 * origin-form `/path?query`, or the absolute-form `http://host/path?query`, whose host is ignored. The path
 * segments `.` and `..` have no special meaning.
 */
import { decodePercent } from './text.ts';

export type Query = ReadonlyMap<string, readonly string[]>;

/** Visible ASCII except `#`. Clients percent-encode all other characters, and send no fragment (`#…`). */
const URI_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/;
const PATH_AND_QUERY = /^(?:https?:\/\/[^/?]+|(?=\/))([^?]*)\??(.*)$/i;

/** @returns The path as the client sent it, its decoded segments, and the query. */
export function parseTarget(target: string) {
  const [, path, queryText = ''] = (URI_CHARACTERS.test(target) && PATH_AND_QUERY.exec(target)) || [];
  // The path is first split and then decoded, so `/a/b%2Fc` has the segments `a` and `b/c`.
  const parts = path?.slice(1).split('/');
  const segments = parts && path?.includes('%') ? decodePercent(parts) : parts;
  const query = parseQuery(queryText);
  return segments && query && { path: path || '/', segments, query };
}

/**
 * Reads `application/x-www-form-urlencoded` (URL Standard). Malformed escapes are refused, although the
 * parser of the URL Standard accepts them.
 */
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

interface RoutePattern {
  readonly method: string;
  readonly path: string;
  /** If true, the last parameter matches all remaining segments, joined by `/`. */
  readonly rest?: boolean;
}

/** @param basePath - The prefix of all paths. The route `/` also handles the prefix without a final slash. */
export function createRouter<Route extends RoutePattern>(all: readonly Route[], basePath: string) {
  const patterns = [...Map.groupBy(all, ({ path }) => path)].flatMap(([template, group]) => {
    const routes = new Map(group.map((route) => [route.method, route]));
    const rest = group.some((route) => route.rest);
    return (template === '/' ? ['', '/'] : [template])
      .map((path) => ({ expected: (basePath + path).slice(1).split('/'), rest, routes }));
  });
  return (segments: readonly string[]) => {
    for (const { expected, rest, routes } of patterns) {
      const last = expected.length - 1;
      const given = rest && segments.length > last
        ? [...segments.slice(0, last), segments.slice(last).join('/')]
        : segments;
      const pathParameters = given.length === expected.length && matchSegments(given, expected, rest);
      if (pathParameters) {
        return { routes, pathParameters };
      }
    }
    return undefined;
  };
}

function matchSegments(given: readonly string[], expected: readonly string[], mayBeEmpty: boolean) {
  const parameters: Record<string, string> = {}; // parameter names come from routes, not from requests
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith('{') && (value !== '' || mayBeEmpty)) {
      parameters[segment.slice(1, -1)] = value;
    } else if (value !== segment) {
      return undefined;
    }
  }
  return parameters;
}
