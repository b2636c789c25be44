/**
 * Finds the routes of a path. Paths are written as in OpenAPI: `/users/{id}`. A parameter matches one segment
 * that is not empty; the last parameter of a route with `rest` matches all remaining segments, joined by `/`.
 */

export interface RoutePattern {
  readonly method: string;
  readonly path: string;
  readonly rest?: boolean;
}

export interface Match<Route> {
  /** The routes of the path, by method. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** The routes of one path. They differ only in their methods. */
interface Path<Route> {
  readonly first: Route;
  readonly expected: readonly string[];
  readonly byMethod: Map<string, Route>;
}

/**
 * @returns A function of decoded segments. It returns `undefined` when no route has such a path.
 * @throws When two routes have the same method and path, or differ only in their parameters or `rest`.
 */
export function createRouter<Route extends RoutePattern>(
  routes: readonly Route[],
): (segments: readonly string[]) => Match<Route> | undefined {
  const paths = new Map<string, Path<Route>>();
  // A brace sorts behind letters. So a literal segment takes precedence over a parameter.
  for (const route of routes.toSorted((left, right) => (left.path < right.path ? -1 : 1))) {
    const { method, path, rest } = route;
    const shape = path.replaceAll(/\{\w+\}/g, '{}');
    const known = paths.get(shape)
      ?? { first: route, expected: path.slice(1).split('/'), byMethod: new Map<string, Route>() };
    if (known.byMethod.has(method) || known.first.path !== path || known.first.rest !== rest) {
      throw new Error(`Route ${method} ${path} is defined twice, or with other parameters`);
    }
    known.byMethod.set(method, route);
    paths.set(shape, known);
  }
  return (segments) => {
    for (const { first, expected, byMethod } of paths.values()) {
      const pathParameters = matchSegments(segments, expected, first.rest === true);
      if (pathParameters !== undefined) {
        return { routes: byMethod, pathParameters };
      }
    }
    return undefined;
  };
}

/** @returns The values of the parameters, or `undefined` for another path. */
function matchSegments(
  segments: readonly string[], expected: readonly string[], takesRest: boolean,
): Match<never>['pathParameters'] | undefined {
  if (takesRest ? segments.length < expected.length : segments.length !== expected.length) {
    return undefined;
  }
  const parameters: Record<string, string> = {}; // the routes name them, not the request
  for (const [index, segment] of expected.entries()) {
    const isParameter = segment.startsWith('{');
    const isRest = takesRest && index === expected.length - 1;
    const value = isRest ? segments.slice(index).join('/') : segments[index] ?? '';
    if (isParameter ? value === '' && !isRest : value !== segment) {
      return undefined;
    }
    if (isParameter) {
      parameters[segment.slice(1, -1)] = value;
    }
  }
  return parameters;
}
