/**
 * The itinerary of a request: `answer` takes it from the listener and gives the answer back, `follow` is the way in
 * between, in order. Every step is a file of its own, and this is the one place where errors are caught.
 */
import type { IncomingMessage } from 'node:http';
import type { Authenticate, Caller } from './auth/authenticate.ts';
import { DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError } from './database/database.ts';
import type { Services } from './handlers/services.ts';
import { createBasePath } from './http/base-path.ts';
import { findClientAddress, isForwarded, toPlainAddress, type IsTrusted } from './http/client-address.ts';
import { toCorsHeaders, toPreflightHeaders } from './http/cors.ts';
import {
  bodyBytesOf, hasContent, isWhole, type HttpRequest, type Reply, type WholeReply,
} from './http/exchange.ts';
import { findFramingFault } from './http/framing.ts';
import type { ListenerHandlers, RefusalStatus } from './http/listener.ts';
import { HttpProblem, toProblemReply, type ProblemType } from './http/problem.ts';
import { toRequestId } from './http/request-id.ts';
import { createRouter, type Match } from './http/router.ts';
import { countSlices } from './http/slices.ts';
import { parseTarget, type ResourceTarget } from './http/target.ts';
import { parseTraceId } from './http/trace-context.ts';
import { compileSchema } from './jsonschema/compile.ts';
import type { ServiceMetrics } from './metrics.ts';
import { problems, toProblemPath } from './problems.ts';
import { readBody, type BodyRule } from './request-body.ts';
import type { RestrictedRoute, Route } from './routes.ts';
import { logAccess } from './telemetry/access-log.ts';
import { describeError, type Log } from './telemetry/log.ts';

interface AppParts {
  readonly routes: readonly Route[];
  readonly services: Services;
  readonly authenticate: Authenticate;
  readonly metrics: Pick<ServiceMetrics, 'http' | 'signIns'>;
  readonly log: Log;
  /** `*`, or the one origin whose scripts may call the service. */
  readonly corsOrigin: string;
  readonly limits: { readonly bodyBytesMax: number; readonly headerFieldsMax: number; readonly targetBytesMax: number };
  /** Absent when no proxy is. */
  readonly isTrustedProxy: IsTrusted | undefined;
  /** Such as `/rollcall`; empty for none. */
  readonly basePath: string;
  /** True when the connection is TLS, not one to a proxy that has ended it. */
  readonly isSecure: boolean;
}

/** A request on its way, and what has become known of it for the access log. */
interface Exchange {
  readonly id: string;
  readonly address: string;
  readonly isWanted: () => boolean;
  readonly incoming: IncomingMessage;
  route?: Route;
  caller?: Caller;
}

/** A year, for this host alone (RFC 6797 §6.1). */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

const NO_CONTENT: Reply = { status: 204, headers: {}, body: '' };

export function createApp(parts: AppParts): ListenerHandlers {
  const { routes, services, authenticate, metrics, log, corsOrigin, limits, isTrustedProxy, basePath, isSecure } = parts;
  const router = createRouter(routes);
  const bodyRules = compileBodyRules(routes);
  const base = createBasePath(basePath);
  const toTypeUri = (type: ProblemType) => basePath + toProblemPath(type);
  let isProxyReported = false;
  const commonHeaders = {
    ...toCorsHeaders(corsOrigin),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(isSecure && { 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY }),
  };

  async function answer(incoming: IncomingMessage): Promise<Reply> {
    const startedAtMs = performance.now();
    metrics.http.begin();
    warnOfUntrustedProxy(incoming);
    const exchange: Exchange = {
      id: toRequestId(incoming.headers['x-request-id']),
      address: findClientAddress(incoming.socket.remoteAddress ?? '', incoming.headers, isTrustedProxy),
      isWanted: () => !incoming.socket.destroyed,
      incoming,
    };
    const reply = await follow(exchange).catch((error: unknown) => toErrorReply(error, exchange.id));
    return withCommonHeaders(recordWhenMade(exchange, reply, startedAtMs), exchange.id);
  }

  /** Records an answer when its length is known: at once, or for slices when the last one has been taken. */
  function recordWhenMade(exchange: Exchange, reply: Reply, startedAtMs: number): Reply {
    const { status } = reply;
    if (isWhole(reply) || !hasContent(reply, exchange.incoming.method)) {
      const bodyBytes = isWhole(reply) ? bodyBytesOf(reply, exchange.incoming.method) : 0;
      record(exchange, { status, bodyBytes, startedAtMs });
      return reply;
    }
    const body = countSlices(reply.body, ({ sizeBytes, error }) => {
      if (error !== undefined) {
        log('error', 'answer cut', { request_id: exchange.id, error: describeError(error) });
      }
      record(exchange, { status, bodyBytes: sizeBytes, startedAtMs });
    });
    return { ...reply, body };
  }

  /** All clients of a proxy that is not trusted have one address, and share what is limited by address. */
  function warnOfUntrustedProxy({ headers, socket }: IncomingMessage): void {
    const address = toPlainAddress(socket.remoteAddress ?? '');
    if (!isProxyReported && isForwarded(headers) && isTrustedProxy?.(address) !== true) {
      isProxyReported = true; // once for the process
      log('warn', 'proxy is not in TRUST_PROXY: all its clients count as one', { address });
    }
  }

  async function follow(exchange: Exchange): Promise<Reply> {
    const { incoming } = exchange;
    refuseFramingFault(incoming, limits);
    const target = parseTarget(incoming.url ?? '');
    if (target.kind === 'server' && incoming.method === 'OPTIONS') {
      return NO_CONTENT; // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7)
    }
    if (target.kind !== 'resource') {
      throw problems.malformedRequest('its target is not a path in percent-encoded UTF-8');
    }
    const segments = base.strip(target.segments);
    const match = segments && router.find(segments);
    if (match === undefined) {
      throw problems.notFound('resource');
    }
    const route = findRoute(match, incoming.method ?? '');
    if (route === undefined) {
      return answerOtherMethod(match, incoming.method);
    }
    exchange.route = route;
    if (route.access === 'public') {
      return route.handle(services, await toRequest(exchange, target, match));
    }
    const caller = await authorize(exchange, route);
    const isBodyOnItsWay = !incoming.complete;
    const request = await toRequest(exchange, target, match);
    // Rights may end while a body is held back, and must not serve to get them back.
    return route.handle(services, request, isBodyOnItsWay ? await authorize(exchange, route) : caller);
  }

  async function authorize(exchange: Exchange, route: RestrictedRoute): Promise<Caller> {
    const outcome = await authenticate(exchange.incoming.headers.authorization, exchange);
    metrics.signIns[outcome.kind === 'authenticated' ? outcome.caller.signIn : outcome.kind] += 1;
    switch (outcome.kind) {
      case 'rejected':
        throw problems.unauthenticated();
      case 'throttled':
        throw problems.tooManyAttempts(outcome.retryAfterSeconds);
      case 'busy':
        throw problems.busy(outcome.retryAfterSeconds);
      case 'authenticated':
        exchange.caller = outcome.caller;
    }
    refuseForbidden(outcome.caller, route);
    return outcome.caller;
  }

  /** Reads the body where the route has a rule for one; otherwise nobody does. */
  async function toRequest(
    { id, route, incoming, address, isWanted }: Exchange, target: ResourceTarget, match: Match<Route>,
  ): Promise<HttpRequest> {
    const rule = route && bodyRules.get(route);
    return {
      id,
      method: incoming.method ?? '',
      path: target.path,
      pathParameters: match.pathParameters,
      query: target.query,
      headers: incoming.headers,
      address,
      isWanted,
      body: rule && (await readBody(incoming, rule, limits.bodyBytesMax)),
    };
  }

  function toErrorReply(error: unknown, requestId: string): WholeReply {
    if (error instanceof HttpProblem) {
      return toProblemReply(error, { requestId, toTypeUri });
    }
    log('error', 'request failed', { request_id: requestId, error: describeError(error) });
    return toProblemReply(toOutageProblem(error), { requestId, toTypeUri });
  }

  function withCommonHeaders<AnyReply extends Reply>(reply: AnyReply, requestId: string): AnyReply {
    const { headers } = base.addTo(reply);
    return { ...reply, headers: { ...commonHeaders, 'X-Request-Id': requestId, ...headers } };
  }

  function record(
    { id, address, incoming, route, caller }: Exchange,
    { status, bodyBytes, startedAtMs }: { status: number; bodyBytes: number; startedAtMs: number },
  ): void {
    const durationMs = performance.now() - startedAtMs;
    metrics.http.end({ route: route?.path, method: incoming.method ?? '', status, durationMs });
    logAccess(log, {
      requestId: id,
      traceId: parseTraceId(incoming.headers['traceparent']),
      method: incoming.method,
      route: route?.path,
      status,
      durationMs,
      bodyBytes,
      address,
      userId: caller?.user.id,
      signIn: caller?.signIn,
    });
  }

  /** For what Node.js refuses before there is a request. */
  function refuse(status: RefusalStatus, peer: string): WholeReply {
    const requestId = toRequestId(undefined);
    const reply = toErrorReply(toRefusal(status), requestId);
    logAccess(log, { requestId, status, bodyBytes: bodyBytesOf(reply), address: toPlainAddress(peer) });
    return withCommonHeaders(reply, requestId);
  }

  function toRefusal(status: RefusalStatus): HttpProblem {
    switch (status) {
      case 400:
        return problems.malformedRequest('it is not valid HTTP');
      case 408:
        return problems.requestTimeout();
      case 413:
        return problems.bodyTooLarge(limits.bodyBytesMax);
      case 414:
        return problems.targetTooLong(limits.targetBytesMax);
      case 417:
        return problems.expectationFailed();
      case 431:
        return problems.headersTooLarge();
    }
  }

  return { answer, refuse, isEnding: () => services.lifeCycle.isEnding };
}

/** What can be told from the caller and the route alone; what depends on the resource, its handler decides. */
function refuseForbidden(caller: Caller, { access, method }: RestrictedRoute): void {
  if (caller.signIn === 'token' && caller.token.scope === 'read_only' && method !== 'GET') {
    throw problems.forbidden('A token that may only read cannot do this');
  }
  if (access === 'administrator' && !caller.user.isAdmin) {
    throw problems.forbidden('Only an administrator may do this');
  }
}

/** What is nobody's request but an outage, by its class alone; everything else is a defect. */
function toOutageProblem(error: unknown): HttpProblem {
  if (error instanceof DatabaseUnavailableError) {
    return problems.databaseUnavailable();
  }
  if (error instanceof DatabaseLockedError) {
    return problems.databaseLocked();
  }
  return error instanceof DatabaseFullError ? problems.storageFull() : problems.internalError();
}

function compileBodyRules(routes: readonly Route[]): ReadonlyMap<Route, BodyRule> {
  const rules = new Map<Route, BodyRule>();
  for (const route of routes) {
    if (route.body !== undefined) {
      rules.set(route, { presence: route.body.presence, validate: compileSchema(route.body.schema) });
    }
  }
  return rules;
}

function refuseFramingFault(incoming: IncomingMessage, limits: AppParts['limits']): void {
  const fault = findFramingFault(incoming, limits);
  switch (fault?.kind) {
    case 'too-many-fields':
      throw problems.headersTooLarge();
    case 'target-too-long':
      throw problems.targetTooLong(limits.targetBytesMax);
    case 'ambiguous':
      throw problems.malformedRequest(fault.reason);
  }
}

/** `HEAD` is `GET` without the content (RFC 9110 §9.3.2), which `send` and Node.js see to. */
function findRoute({ routes }: Match<Route>, method: string): Route | undefined {
  return routes.get(method === 'HEAD' ? 'GET' : method);
}

/** `OPTIONS` is answered for every resource; every other method that it does not have is refused. */
function answerOtherMethod({ routes }: Match<Route>, method: string | undefined): Reply {
  const methods = [...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), ...(routes.has('OPTIONS') ? [] : ['OPTIONS'])];
  if (method !== 'OPTIONS') {
    throw problems.methodNotAllowed(methods);
  }
  return { ...NO_CONTENT, headers: toPreflightHeaders(methods) };
}
