/**
 * Finds the routes of a path. Paths are written as in OpenAPI: `/users/{id}`. A parameter such as `{id}`
 * matches one segment that is not empty. With `rest`, the last parameter matches all remaining segments,
 * joined by `/`.
 */

interface RoutePattern {
  readonly method: string;
  readonly path: string;
  readonly rest?: boolean;
}

/** The routes of a path, by method. */
interface Match<Route> {
  readonly routes: ReadonlyMap<string, Route>;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** @param basePath - A prefix of all paths, such as `/rollcall`. The prefix alone has the routes of `/`. */
export function createRouter<Route extends RoutePattern>(
  all: readonly Route[], basePath: string,
): (segments: readonly string[]) => Match<Route> | undefined {
  const paths = new Map<string, { expected: readonly string[]; rest: boolean; routes: Map<string, Route> }>();
  // A literal segment takes precedence over a parameter, because paths are sorted, and a brace sorts behind
  // letters.
  for (const route of all.toSorted((left, right) => (left.path < right.path ? -1 : 1))) {
    const { method, rest = false } = route;
    for (const path of route.path === '/' ? ['', '/'] : [route.path]) {
      const expected = (basePath + path).slice(1).split('/');
      const known = paths.get(path) ?? { expected, rest, routes: new Map() };
      if (known.routes.has(method)) {
        throw new Error(`Route ${method} ${path} is defined twice`);
      }
      known.routes.set(method, route);
      paths.set(path, known);
    }
  }
  return (segments) => {
    for (const { expected, rest, routes } of paths.values()) {
      const mayMatch = rest ? segments.length >= expected.length : segments.length === expected.length;
      const pathParameters = mayMatch ? matchSegments(segments, expected, rest) : undefined;
      if (pathParameters !== undefined) {
        return { routes, pathParameters };
      }
    }
    return undefined;
  };
}

function matchSegments(
  segments: readonly string[], expected: readonly string[], takesRest: boolean,
): Match<never>['pathParameters'] | undefined {
  const parameters: Record<string, string> = {}; // parameter names come from routes, not from requests
  for (const [index, segment] of expected.entries()) {
    const isRest = takesRest && index === expected.length - 1;
    const value = isRest ? segments.slice(index).join('/') : segments[index] ?? '';
    if (segment.startsWith('{') && (value !== '' || isRest)) {
      parameters[segment.slice(1, -1)] = value;
    } else if (value !== segment) {
      return undefined;
    }
  }
  return parameters;
}
