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

interface Router<Route> {
  /** @param segments - Decoded; `undefined` is returned when no route has such a path. */
  find(segments: readonly string[]): Match<Route> | undefined;
}

interface Node<Route> {
  readonly literals: Map<string, Node<Route>>;
  parameter: Node<Route> | undefined;
  readonly routes: Map<string, Route>;
  /** The names of the parameters in the order of the path; the same for all methods. */
  parameterNames: readonly string[];
  takesRest: boolean;
}

const PARAMETER = /^\{(\w+)\}$/;

/**
 * @throws When two routes have the same method and path, or routes of one path differ in their parameters or
 *   `rest`.
 */
export function createRouter<Route extends RoutePattern>(routes: readonly Route[]): Router<Route> {
  const root = createNode<Route>();
  routes.forEach((route) => addRoute(root, route));
  return {
    find(segments) {
      const values: string[] = [];
      const node = descend(root, segments, 0, values);
      return node && { routes: node.routes, pathParameters: toParameters(node.parameterNames, values) };
    },
  };
}

function addRoute<Route extends RoutePattern>(root: Node<Route>, route: Route): void {
  let node = root;
  const names: string[] = [];
  for (const segment of route.path.slice(1).split('/')) {
    const name = PARAMETER.exec(segment)?.[1];
    if (name === undefined) {
      const next = node.literals.get(segment) ?? createNode();
      node.literals.set(segment, next);
      node = next;
    } else {
      names.push(name);
      node = node.parameter ??= createNode();
    }
  }
  const isAlike = names.join() === node.parameterNames.join() && (route.rest ?? false) === node.takesRest;
  if (node.routes.has(route.method) || (node.routes.size > 0 && !isAlike)) {
    throw new Error(`Route ${route.method} ${route.path} is defined twice, or with other parameters`);
  }
  node.routes.set(route.method, route);
  node.parameterNames = names;
  node.takesRest = route.rest ?? false;
}

/**
 * Descends the tree and collects parameter values. A literal segment takes precedence over a parameter. The
 * recursion is never deeper than the longest route.
 */
function descend<Route>(
  node: Node<Route>,
  segments: readonly string[],
  index: number,
  values: string[],
): Node<Route> | undefined {
  const segment = segments[index];
  if (segment === undefined) {
    return node.routes.size > 0 ? node : undefined;
  }
  const literal = node.literals.get(segment);
  const found = literal && descend(literal, segments, index + 1, values);
  if (found !== undefined || node.parameter === undefined) {
    return found;
  }
  if (node.parameter.takesRest) {
    values.push(segments.slice(index).join('/'));
    return node.parameter;
  }
  if (segment === '') {
    return undefined;
  }
  values.push(segment);
  const below = descend(node.parameter, segments, index + 1, values);
  if (below === undefined) {
    values.pop();
  }
  return below;
}

function toParameters(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function createNode<Route>(): Node<Route> {
  return {
    literals: new Map(), parameter: undefined, routes: new Map(), parameterNames: [], takesRest: false,
  };
}
