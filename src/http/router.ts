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

/** @param segments - Decoded; `undefined` is returned when no route has such a path. */
type FindRoutes<Route> = (segments: readonly string[]) => Match<Route> | undefined;

interface Path<Route> {
  readonly pattern: RoutePattern;
  readonly segments: readonly string[];
  readonly routes: Map<string, Route>;
}

/**
 * @throws When two routes have the same method and path, or routes of one path differ in their parameters or
 *   `rest`.
 */
export function createRouter<Route extends RoutePattern>(routes: readonly Route[]): FindRoutes<Route> {
  const paths = new Map<string, Path<Route>>();
  // A brace sorts behind letters. So a literal segment takes precedence over a parameter.
  for (const route of routes.toSorted((left, right) => (left.path < right.path ? -1 : 1))) {
    const shape = route.path.replaceAll(PARAMETER, '{}');
    const path = paths.get(shape)
      ?? { pattern: route, segments: route.path.slice(1).split('/'), routes: new Map<string, Route>() };
    const isAlike = path.pattern.path === route.path && path.pattern.rest === route.rest;
    if (path.routes.has(route.method) || !isAlike) {
      throw new Error(`Route ${route.method} ${route.path} is defined twice, or with other parameters`);
    }
    path.routes.set(route.method, route);
    paths.set(shape, path);
  }
  const sorted = [...paths.values()];
  return (segments) => {
    for (const path of sorted) {
      const pathParameters = matchPath(path, segments);
      if (pathParameters !== undefined) {
        return { routes: path.routes, pathParameters };
      }
    }
    return undefined;
  };
}

const PARAMETER = /\{(\w+)\}/g;

/** @returns The values of the parameters, or `undefined` for another path. */
function matchPath(
  { pattern: { rest = false }, segments: expected }: Path<unknown>, segments: readonly string[],
): Match<never>['pathParameters'] | undefined {
  if (rest ? segments.length < expected.length : segments.length !== expected.length) {
    return undefined;
  }
  const values: [name: string, value: string][] = [];
  for (const [index, segment] of expected.entries()) {
    const isRest = rest && index === expected.length - 1;
    const value = isRest ? segments.slice(index).join('/') : segments[index] ?? '';
    if (segment.startsWith('{') && (value !== '' || isRest)) {
      values.push([segment.slice(1, -1), value]);
    } else if (value !== segment) {
      return undefined;
    }
  }
  return Object.fromEntries(values);
}
