/**
 * The function `follow` performs the steps of a request in order. Only this file turns errors into refusals,
 * and refusals into replies. A refusal is a value, and is never thrown.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readBody } from './api/body.ts';
import type { Operation, Operations } from './api/operation.ts';
import { isRefusal, problemReply, refuse, resultOf, type Refusal } from './api/problems.ts';
import { EXPOSED_FIELDS } from './api/replies.ts';
import type { Services } from './api/services.ts';
import type { Caller } from './auth/authenticate.ts';
import { toReader } from './auth/client.ts';
import type { Config } from './config.ts';
import { DatabaseFullError, DatabaseLockedError, DatabaseUnavailableError } from './database/database.ts';
import { BODY_BYTES_MAX, receiveBody } from './http/body.ts';
import { findClientAddress, toPlainAddress } from './http/client-address.ts';
import { mayBeForged, preflightHeaders } from './http/cross-origin.ts';
import type { HttpRequest, Reply } from './http/message.ts';
import type { Application, RefusalStatus } from './http/pipeline.ts';
import { findViolation, TARGET_BYTES_MAX } from './http/request-smuggling.ts';
import { createRouter, parseTarget } from './http/router.ts';
import { describeError } from './telemetry/error-text.ts';
import type { Log } from './telemetry/log.ts';

/** The events that are counted for the metrics. */
export interface Observer {
  requestBegan(): void;
  /** The route is the path template of the operation; `undefined` if no operation matches. */
  requestEnded(
    request: Readonly<{ route: string | undefined; method: string; status: number; durationMs: number }>,
  ): void;
  signedIn(outcome: 'password' | 'token' | 'rejected' | 'throttled' | 'busy'): void;
}

export interface AppParts {
  readonly config: Config;
  readonly operations: Operations;
  /** Counts requests and sign-ins; absent if `METRICS` is `off`. */
  readonly observer?: Observer | undefined;
  readonly log: Log;
}

/** A request, and the facts that the access log needs. */
interface Arrival {
  readonly incoming: IncomingMessage;
  readonly client: Pick<HttpRequest, 'id' | 'address' | 'isFromTrustedProxy' | 'isWanted'>;
  operation?: Operation;
  caller?: Caller;
}

const REFUSALS: Readonly<Record<RefusalStatus, Refusal>> = {
  400: refuse('malformedRequest', 'it is not valid HTTP'),
  408: refuse('requestTimeout'),
  413: refuse('bodyTooLarge', BODY_BYTES_MAX),
  414: refuse('targetTooLong', TARGET_BYTES_MAX),
  417: refuse('expectationFailed'),
  431: refuse('headersTooLarge'),
};

export function createApp(services: Services, { config, operations, observer, log }: AppParts): Application {
  const { authenticate, basePath, clock, lifeCycle, queues, spendChange } = services;
  const { corsOrigin, trustedProxies: isTrustedProxy } = config;
  const findRoutes = createRouter(Object.values(operations), basePath);
  /** The header fields of every response. A reply can replace the value of a field. */
  const common = {
    'Access-Control-Allow-Origin': corsOrigin,
    'Access-Control-Expose-Headers': EXPOSED_FIELDS,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    // With TLS, browsers must use HTTPS for one year, for this host only (RFC 6797 §6.1).
    ...(config.tlsCertFile !== undefined && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
  let isProxyReported = false;

  async function answer(incoming: IncomingMessage, startedAtMs: number): Promise<Reply> {
    observer?.requestBegan();
    const arrival = identify(incoming);
    const outcome = await follow(arrival).catch((error: unknown) => refuseFailure(error, arrival));
    const reply = makeReply(outcome, arrival.client.id);
    logRequest(arrival, reply, startedAtMs);
    return reply;
  }

  function identify(incoming: IncomingMessage): Arrival {
    const { socket, headers } = incoming;
    const peer = toPlainAddress(socket.remoteAddress);
    const isFromTrustedProxy = isTrustedProxy?.(peer) === true;
    if (!isFromTrustedProxy && !isProxyReported && headers['x-forwarded-for'] !== undefined) {
      isProxyReported = true; // one line in the log is enough, even for several proxies
      log('warn', 'a proxy is not in TRUST_PROXY, so all its clients count as one client', { address: peer });
    }
    const chosenId = isFromTrustedProxy ? String(headers['x-request-id'] ?? '') : '';
    const id = /^[A-Za-z0-9._:=@+/-]{1,128}$/.test(chosenId) ? chosenId : randomUUID();
    const address = isFromTrustedProxy ? findClientAddress(peer, headers, isTrustedProxy) : peer;
    return { incoming, client: { id, address, isFromTrustedProxy, isWanted: () => !socket.destroyed } };
  }

  async function follow(arrival: Arrival): Promise<Reply | Refusal> {
    const { incoming, client } = arrival;
    const { method = '', url = '', headers } = incoming;
    const fault = findViolation(incoming);
    if (fault !== undefined) {
      const refusal = typeof fault === 'string' ? refuse('malformedRequest', fault) : REFUSALS[fault];
      // After a violation of HTTP, the next bytes of the connection might not be a request (RFC 9112 §6.1).
      return { ...refusal, headers: { 'Connection': 'close' } };
    }
    if (method === 'OPTIONS' && url === '*') { // a request about the server itself (RFC 9110 §9.3.7)
      return { status: 204, headers: {}, body: '' };
    }
    const target = parseTarget(url);
    if (target === undefined) {
      return refuse('malformedRequest', 'the target is not a path in percent-encoded UTF-8');
    }
    const match = findRoutes(target.segments);
    if (match === undefined) {
      return refuse('noSuchRoute');
    }
    // HEAD runs as GET (RFC 9110 §9.3.2), and Node.js omits the content of the response.
    const operation = match.routes.get(method === 'HEAD' ? 'GET' : method);
    if (operation === undefined) {
      const head = match.routes.has('GET') ? ['HEAD'] : [];
      const allowed = [...new Set([...match.routes.keys(), ...head, 'OPTIONS'])];
      return method === 'OPTIONS'
        ? { status: 204, headers: preflightHeaders(allowed, headers), body: '' }
        : refuse('methodNotAllowed', allowed);
    }
    arrival.operation = operation;
    // Rights are checked after the body has arrived, because a caller can lose a right during an upload. The
    // code before `receiveBody` must not await. Otherwise, Node.js buffers each chunk with 100 extra bytes.
    const { body: rule } = operation;
    const received = rule && (await receiveBody(incoming, rule.bytesMax));
    if (rule === undefined) {
      incoming.resume(); // discards any body, because the operation reads no body
    }
    const caller = await authorize(arrival, operation);
    if (isRefusal(caller)) {
      return caller;
    }
    const body = rule && received && readBody(rule, received, headers);
    if (body !== undefined && isRefusal(body)) {
      return body;
    }
    // Each change reduces the budget before the handler runs, even if the handler then refuses the change.
    const isCounted = caller !== undefined && operation.isChange && !caller.user.isAdmin;
    const waitSeconds = isCounted ? spendChange(caller.user.id, caller.signIn) : 0;
    if (waitSeconds > 0) {
      return refuse('tooManyChanges', waitSeconds);
    }
    const { path, query } = target;
    const request = { ...client, method, path, pathParameters: match.pathParameters, query, headers };
    const run = () => operation.run(services, request, body?.value, caller); // first checks the query
    return operation.replies?.kind === 'list' // lists can take long, so lists wait for a turn
      ? resultOf(await queues.reads.run(run, toReader(client, caller?.user)))
      : run();
  }

  async function authorize(
    arrival: Arrival, { access, scopes, acceptsAudience, refuses, isChange }: Operation,
  ): Promise<Caller | undefined | Refusal> {
    const { incoming, client } = arrival;
    if (access === 'public' || access === 'secret') { // for `secret`, the handler checks the token
      return undefined;
    }
    if (isChange && mayBeForged(incoming, corsOrigin)) {
      return refuse('crossSite');
    }
    const outcome = await authenticate(incoming.headers.authorization, client);
    observer?.signedIn(outcome.kind === 'done' ? outcome.result.signIn : outcome.kind);
    if (outcome.kind === 'rejected') {
      return refuse('unauthenticated');
    }
    if (outcome.kind !== 'done') {
      // If `auth_request` gets 429 or 503, nginx answers 500. So proxies get 403 (`signInPostponed`).
      return refuses.includes('signInPostponed')
        ? refuse('signInPostponed', outcome.retryAfterSeconds)
        : resultOf(outcome);
    }
    const { result: caller } = outcome;
    arrival.caller = caller;
    const { token } = caller;
    if (token?.audience !== undefined && acceptsAudience !== true) {
      return refuse('tokenForPrograms');
    }
    if (token !== undefined && token.audience === undefined && !scopes.includes(token.scope)) {
      return refuse('scopeTooNarrow', token.scope);
    }
    return access === 'administrator' && !caller.user.isAdmin ? refuse('administratorOnly') : caller;
  }

  /** A database outage results in the status 503 or 507. Any other error is a bug, and gives 500. */
  function refuseFailure(error: unknown, { incoming: { method }, client: { id } }: Arrival): Refusal {
    log('error', 'request failed', { request_id: id, error: describeError(error) });
    const isRead = method === 'GET' || method === 'HEAD';
    return error instanceof DatabaseUnavailableError ? refuse('databaseUnavailable', isRead)
      : error instanceof DatabaseLockedError ? refuse('databaseLocked')
      : error instanceof DatabaseFullError ? refuse('storageFull')
      : refuse('internalError');
  }

  function makeReply(outcome: Reply | Refusal, requestId: string): Reply {
    const reply = isRefusal(outcome) ? problemReply(outcome, requestId, basePath) : outcome;
    const { Location: path } = reply.headers;
    const location = path !== undefined && { 'Location': basePath + path };
    return { ...reply, headers: { ...common, 'X-Request-Id': requestId, ...reply.headers, ...location } };
  }

  /** Logs only the template of the path, because paths contain names, and queries can contain tokens. */
  function logRequest(
    { incoming: { method = '' }, client, operation, caller }: Arrival, reply: Reply, startedAtMs: number,
  ): void {
    const durationMs = performance.now() - startedAtMs;
    const facts = { method, route: operation?.path, status: reply.status };
    observer?.requestEnded({ ...facts, durationMs });
    log('info', 'request', {
      request_id: client.id,
      ...facts,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      bytes: method === 'HEAD' ? 0 : Buffer.byteLength(reply.body),
      address: client.address,
      user_id: caller?.user.id,
      sign_in: caller?.signIn,
    });
  }

  return {
    answer,
    refuseUnread(status, address) {
      const id = randomUUID();
      const reply = makeReply(REFUSALS[status], id);
      log('info', 'request', { request_id: id, status, bytes: Buffer.byteLength(reply.body), address });
      // Node.js does not add `Date` to this response (RFC 9110 §6.6.1).
      return { ...reply, headers: { ...reply.headers, 'Date': new Date(clock()).toUTCString() } };
    },
    lifeCycle,
    isTrustedProxy,
    log,
  };
}
