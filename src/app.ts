/**
 * The life of a request. `answer` gets the request from the listener and returns the reply. `follow` takes
 * the steps in between, in order. Only this file turns errors into responses. A refusal is a value, and is
 * never thrown.
 */
import type { IncomingMessage } from 'node:http';
import { readBody } from './api/body.ts';
import type { Operation, Operations } from './api/operation.ts';
import type { ProblemSlug } from './api/problem-types.ts';
import { isRefusal, problemPath, problemReply, refuse, type Refusal } from './api/problems.ts';
import type { Services } from './api/services.ts';
import type { Caller } from './auth/authenticate.ts';
import type { ChangeBudget } from './auth/change-budget.ts';
import { toReader } from './auth/client.ts';
import { DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError } from './database/database.ts';
import { BODY_BYTES_MAX, hasBody, receiveBody } from './http/body.ts';
import { findClientAddress, isForwarded, peerOf, type IsTrusted } from './http/client-address.ts';
import { commonHeaders } from './http/common-headers.ts';
import { mayBeForged, preflightHeaders } from './http/cross-origin.ts';
import { findFramingFault, type FramingLimits } from './http/framing.ts';
import type { ListenerHandlers, RefusalStatus } from './http/listener.ts';
import { bodyBytesOf, toRequestId, type HttpRequest, type Reply } from './http/message.ts';
import { createRouter, type Match } from './http/router.ts';
import { parseTarget, stripBasePath } from './http/target.ts';
import type { FairQueue } from './scheduling/fair-queue.ts';
import { describeError } from './telemetry/error-text.ts';
import type { Log, LogFields } from './telemetry/log.ts';
import type { Observer } from './telemetry/observer.ts';

interface AppParts {
  readonly operations: Operations;
  readonly services: Services;
  /** The queue of the operations that may take long. */
  readonly reads: FairQueue;
  readonly changeBudget: ChangeBudget;
  /** Counts requests and sign-ins; absent when nobody reads the metrics. */
  readonly observer: Observer | undefined;
  readonly log: Log;
  /** `*`, or the one origin whose scripts may call the service. */
  readonly corsOrigin: string;
  readonly limits: FramingLimits;
  /** Absent when no proxy is trusted. */
  readonly isTrustedProxy: IsTrusted | undefined;
  /** True when this process speaks TLS itself. */
  readonly isSecure: boolean;
}

/** A request in progress, and the facts that the access log needs. */
interface RequestState extends Pick<HttpRequest, 'id' | 'address' | 'isFromTrustedProxy' | 'isWanted'> {
  readonly incoming: IncomingMessage;
  operation?: Operation;
  caller?: Caller;
}

const NO_CONTENT: Reply = { status: 204, headers: {}, body: '' };

export function createApp(parts: AppParts): Omit<ListenerHandlers, 'onCut'> {
  const {
    operations, services, reads, changeBudget, observer, log, corsOrigin, limits, isTrustedProxy, isSecure,
  } = parts;
  const { authenticate, basePath } = services;
  const router = createRouter(Object.values(operations));
  const typeUri = (slug: ProblemSlug) => basePath + problemPath(slug);
  let isProxyReported = false;
  const common = commonHeaders(corsOrigin, isSecure);

  async function answer(incoming: IncomingMessage, startedAtMs: number): Promise<Reply> {
    observer?.requestBegan();
    const { socket, headers } = incoming;
    const peer = peerOf(socket);
    const isFromTrustedProxy = isTrustedProxy?.(peer) === true;
    if (!isFromTrustedProxy && isForwarded(headers)) {
      warnOfUntrustedProxy(peer);
    }
    const state: RequestState = {
      id: toRequestId(isFromTrustedProxy ? headers['x-request-id'] : undefined),
      address: findClientAddress(peer, headers, isTrustedProxy),
      isFromTrustedProxy,
      isWanted: () => !socket.destroyed,
      incoming,
    };
    const outcome = await follow(state).catch((error: unknown) => toFailure(error, state));
    const reply = isRefusal(outcome) ? toReply(outcome, state) : outcome;
    record(state, reply, startedAtMs);
    return withCommonHeaders(reply, state.id);
  }

  function toReply(refusal: Refusal, { id }: RequestState): Reply {
    return problemReply(refusal, { requestId: id, typeUri });
  }

  /** Warns once: all clients of an untrusted proxy share its address, and so the limits of that address. */
  function warnOfUntrustedProxy(address: string): void {
    if (!isProxyReported) {
      isProxyReported = true;
      log('warn', 'proxy is not in TRUST_PROXY: all its clients count as one', { address });
    }
  }

  async function follow(state: RequestState): Promise<Reply | Refusal> {
    const { incoming } = state;
    const method = incoming.method ?? '';
    const fault = findFramingFault(incoming, limits);
    if (fault !== undefined) {
      // The next bytes might not be a request (RFC 9112 §6.1).
      return { ...toReply(toRefusal(fault.status, fault.reason), state), closesConnection: true };
    }
    const target = parseTarget(incoming.url ?? '');
    if (target.kind === 'server' && method === 'OPTIONS') {
      return NO_CONTENT; // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7)
    }
    if (target.kind !== 'resource') {
      return refuse('malformedRequest', 'the target is not a path in percent-encoded UTF-8');
    }
    const segments = stripBasePath(target.segments, basePath);
    const match = segments && router.find(segments);
    if (match === undefined) {
      return refuse('noSuchRoute');
    }
    // HEAD runs as GET (RFC 9110 §9.3.2); `send` leaves the body out.
    const operation = match.routes.get(method === 'HEAD' ? 'GET' : method);
    if (operation === undefined) {
      return answerOtherMethod(match, incoming);
    }
    state.operation = operation;
    // The caller is asked for only when the body is there, so that no right can end while the body arrives.
    const { body: rule } = operation;
    const received = rule && (await receiveBody(incoming, rule.bytesMax));
    if (rule === undefined && hasBody(incoming)) {
      incoming.resume(); // discards it
    }
    const caller = await authorize(state, operation);
    if (isRefusal(caller)) {
      return caller;
    }
    const body = rule && received && readBody(rule, received, incoming.headers);
    if (isRefusal(body)) {
      return body;
    }
    const postponement = caller && operation.isChange ? spendChange(caller) : undefined;
    if (postponement !== undefined) {
      return postponement;
    }
    const request: HttpRequest = {
      id: state.id,
      method,
      path: target.path,
      pathParameters: match.pathParameters,
      query: target.query,
      headers: incoming.headers,
      address: state.address,
      isFromTrustedProxy: state.isFromTrustedProxy,
      isWanted: state.isWanted,
    };
    const run = () => operation.run(services, request, body?.value, caller);
    if (!operation.mayTakeLong) {
      return run();
    }
    const outcome = await reads.run(run, toReader(state, caller?.user));
    return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
  }

  /** @returns The caller, `undefined` if the operation needs none, or the refusal of the request. */
  async function authorize(
    state: RequestState, { access, scopes, refuses, isChange }: Operation,
  ): Promise<Caller | undefined | Refusal> {
    const { authorization } = state.incoming.headers;
    if (access === 'public' || access === 'secret') {
      return undefined;
    }
    if (isChange && mayBeForged(state.incoming, corsOrigin)) {
      return refuse('crossSite');
    }
    const outcome = await authenticate(authorization, state);
    observer?.signedIn(outcome.kind === 'authenticated' ? outcome.caller.signIn : outcome.kind);
    switch (outcome.kind) {
      case 'rejected':
        return refuse('unauthenticated');
      case 'throttled':
      case 'busy': {
        const usual = outcome.kind === 'busy' ? 'busy' : 'tooManyAttempts';
        // nginx turns 429 and 503 of `auth_request` into 500.
        const isForProxies = refuses.includes('signInPostponed');
        return refuse(isForProxies ? 'signInPostponed' : usual, outcome.retryAfterSeconds);
      }
      case 'authenticated':
        state.caller = outcome.caller;
    }
    const { caller } = outcome;
    if (caller.signIn === 'token' && !scopes.includes(caller.token.scope)) {
      return refuse('scopeTooNarrow', caller.token.scope);
    }
    return access === 'administrator' && !caller.user.isAdmin ? refuse('administratorOnly') : caller;
  }

  /**
   * Counts each request that reaches a handler, because only the handler learns whether it changes anything.
   * A malformed or invalid body writes nothing and does not count.
   */
  function spendChange(caller: Caller): Refusal | undefined {
    const { user, signIn } = caller;
    const isExempt = user.isAdmin || (signIn === 'token' && caller.token.scope !== 'full');
    const retryAfterSeconds = isExempt ? 0 : changeBudget.spend(user.id, signIn);
    return retryAfterSeconds > 0 ? refuse('tooManyChanges', retryAfterSeconds) : undefined;
  }

  /** Maps database outages to 503 or 507 by error class; anything else is a bug (500). */
  function toFailure(error: unknown, { id, incoming }: RequestState): Refusal {
    log('error', 'request failed', { request_id: id, error: describeError(error) });
    if (error instanceof DatabaseUnavailableError) {
      return refuse('databaseUnavailable', incoming.method === 'GET' || incoming.method === 'HEAD');
    }
    if (error instanceof DatabaseLockedError) {
      return refuse('databaseLocked');
    }
    return error instanceof DatabaseFullError ? refuse('storageFull') : refuse('internalError');
  }

  function withCommonHeaders(reply: Reply, requestId: string): Reply {
    const { Location: path } = reply.headers;
    const location = path !== undefined && { 'Location': basePath + path }; // other links repeat the target
    return {
      ...reply, headers: { ...common, 'X-Request-Id': requestId, ...reply.headers, ...location },
    };
  }

  function record(
    { id, address, incoming, operation, caller }: RequestState, reply: Reply, startedAtMs: number,
  ): void {
    const { method = '' } = incoming;
    const { status } = reply;
    const durationMs = performance.now() - startedAtMs;
    observer?.requestEnded({ route: operation?.path, method, status, durationMs });
    logAccess({
      request_id: id,
      method,
      route: operation?.path,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      bytes: bodyBytesOf(reply, method),
      address,
      user_id: caller?.user.id,
      sign_in: caller?.signIn,
    });
  }

  /** Answers requests that Node.js refuses before they reach `answer`. */
  function refuseUnread(status: RefusalStatus, address: string): Reply {
    const requestId = toRequestId();
    const reply = problemReply(toRefusal(status), { requestId, typeUri });
    logAccess({ request_id: requestId, status, bytes: bodyBytesOf(reply), address });
    return withCommonHeaders(reply, requestId);
  }

  /**
   * Logs a request, also a malformed one. The line has the path template rather than the path, because a path
   * may hold names. It has no query, because people put tokens into queries. Its duration is the time from
   * the end of the header fields to the response.
   */
  function logAccess(fields: LogFields): void {
    log('info', 'request', fields);
  }

  function toRefusal(status: RefusalStatus, reason = 'it is not valid HTTP'): Refusal {
    switch (status) {
      case 400:
        return refuse('malformedRequest', reason);
      case 408:
        return refuse('requestTimeout');
      case 413:
        return refuse('bodyTooLarge', BODY_BYTES_MAX);
      case 414:
        return refuse('targetTooLong', limits.targetBytesMax);
      case 417:
        return refuse('expectationFailed');
      case 431:
        return refuse('headersTooLarge');
    }
  }

  return { answer, refuseUnread, isEnding: () => services.lifeCycle.isEnding };
}

/** Answers `OPTIONS` for every resource, and refuses other methods that the resource does not have. */
function answerOtherMethod(
  { routes }: Match<Operation>, { method, headers }: IncomingMessage,
): Reply | Refusal {
  const methods = [
    ...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), ...(routes.has('OPTIONS') ? [] : ['OPTIONS']),
  ];
  return method === 'OPTIONS'
    ? { ...NO_CONTENT, headers: preflightHeaders(methods, headers) }
    : refuse('methodNotAllowed', methods);
}
