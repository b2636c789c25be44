/** Finds the routes of a path. A parameter, such as `{id}` in `/users/{id}`, matches a non-empty segment. */

interface RoutePattern {
  readonly method: string;
  readonly path: string;
  /** If true, the last parameter matches all remaining segments, joined by `/`. */
  readonly rest?: boolean;
}

/** @param basePath - The prefix of all paths. A request for only the prefix gets the route `/`. */
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

function matchSegments(
  given: readonly string[], expected: readonly string[], mayBeEmpty: boolean,
): Readonly<Record<string, string>> | undefined {
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
