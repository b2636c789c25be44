/**
 * The base URL of the service is computed from the URL of this file, so any path prefix works. With
 * `credentials: 'omit'`, the browser does not open its own password dialog after a 401.
 */
import { BASIC, BEARER, quoteJson, toCurl as toCurlLine } from '../shared/curl.js';

/**
 * `path` lists the unencoded path segments after `api/v1`, or after the base URL if `outside` is true. `etag`
 * becomes the header field `If-Match`. `authorization` replaces the token. With `null`, the request has no
 * credentials.
 *
 * @typedef {{ method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: readonly (string | number)[],
 *   outside?: boolean, query?: URLSearchParams | Record<string, string>, body?: Record<string, unknown>,
 *   etag?: string, authorization?: string | null, signal?: AbortSignal }} Call
 */

/**
 * `body` is the parsed JSON, or the text if the response is not JSON. `total` counts the items of all pages.
 *
 * @typedef {{ body: any, etag: string | undefined, total: Count | undefined, hasNext: boolean }} Answer
 */

/**
 * The relation `at_least` means that the service stopped counting at a limit.
 *
 * @typedef {{ count: number, relation: 'exact' | 'at_least' }} Count
 */

const base = new URL('../../', import.meta.url);

/** @type {string | undefined} */
let token;

/**
 * @typedef {{ id: number, username: string, is_admin: boolean, token: { id: number, expiration_date: string }
 *   | null }} Me
 */

/** @type {Me | undefined} */
let caller;

export function me() {
  return caller;
}

/** @param {Me | undefined} user */
export function setMe(user) {
  caller = user;
}

/**
 * Encodes Basic credentials (RFC 7617). `btoa` accepts only bytes, so the text is encoded as UTF-8 first.
 *
 * @type {(username: string | undefined, password: string | undefined) => string}
 */
export function toBasic(username, password) {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`;
}

/** This event is dispatched when the service refuses the token of the session (401). */
export const REFUSED = 'token-refused';

/** @param {string | undefined} text */
export function setToken(text) {
  const before = token;
  token = text;
  return before;
}

/** An error response (RFC 9457), or a request without a response. */
export class Problem extends Error {
  /**
   * @param {number} status - The value is 0 if no response arrived.
   * @param {{ type?: string, title?: string, detail?: string, request_id?: string, failed_checks?: string[],
   *   errors?: { pointer?: string, message: string }[] }} body
   */
  constructor(status, body) {
    super(body.title ?? `The service responded with status ${status}`);
    this.status = status;
    this.type = body.type ?? '';
    this.slug = body.type?.split(/[#/]/).at(-1)?.replace(/\.html$/, '') ?? '';
    this.detail = body.detail ?? '';
    this.requestId = body.request_id ?? '';
    this.errors = body.errors ?? [];
    this.failedChecks = body.failed_checks ?? [];
  }
}

/**
 * @param {Call} call
 * @returns {Promise<Answer>}
 * @throws {Problem} If the response is an error or no response arrives. An abort throws a `DOMException`.
 */
export async function request(call) {
  const {
    method = 'GET', body, etag, signal, authorization = token === undefined ? null : `Bearer ${token}`,
  } = call;
  const sentToken = token;
  const fail = (/** @type {Error} */ error) => refuse(error, method);
  const response = await fetch(toUrl(call), {
    method,
    headers: {
      ...(authorization !== null && { 'Authorization': authorization }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(etag && { 'If-Match': etag }),
    },
    body: body ? JSON.stringify(body) : null,
    credentials: 'omit',
    signal: signal ?? null,
  }).catch(fail);
  const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '');
  const content = await (isJson ? response.json() : response.text()).catch(fail);
  if (!response.ok) {
    if (response.status === 401 && call.authorization === undefined && sentToken === token) {
      document.dispatchEvent(new Event(REFUSED));
    }
    throw new Problem(response.status, isJson ? content : {});
  }
  if (call.authorization !== null && sentToken !== undefined && sentToken !== token) {
    fail(Error()); // after a sign-out, the next user must not see this response
  }
  const { headers } = response;
  return {
    body: content,
    etag: headers.get('ETag') ?? undefined,
    total: parseTotal(headers),
    hasNext: headers.get('Link')?.includes('rel="next"') ?? false, // RFC 8288
  };
}

/** @type {(error: Error, method: string) => never} */
function refuse(error, method) {
  if (error.name === 'AbortError') {
    throw error;
  }
  throw new Problem(0, {
    title: "Can't reach the server",
    detail: method === 'GET'
      ? 'Check your connection, then try again.'
      : 'Your change may have been saved. Before you send the change again, check whether it was saved.',
  });
}

/** @type {(headers: Headers) => Count | undefined} */
function parseTotal(headers) {
  const total = headers.get('Total');
  const relation = headers.get('Total-Relation') === 'exact' ? 'exact' : 'at_least';
  return total === null ? undefined : { count: Number(total), relation };
}

/** @param {Pick<Call, 'path' | 'query' | 'outside'>} call */
function toUrl({ path, query, outside = false }) {
  const url = new URL([...(outside ? [] : ['api', 'v1']), ...path.map(encodeURIComponent)].join('/'), base);
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/** Shell variables replace the secrets. @param {Call} call */
export function toCurl(call) {
  const { method = 'GET', body, etag, authorization } = call;
  const headers = { ...(etag && { 'If-Match': etag }), ...(body && { 'Content-Type': 'application/json' }) };
  return toCurlLine({
    method,
    url: toUrl(call),
    credentials: authorization === undefined ? BEARER : authorization ? BASIC : undefined,
    headers: Object.entries(headers),
    body: body && quoteJson(body),
  });
}

/** @type {Promise<any> | undefined} */
let description;

/** Caches the OpenAPI document. After a failure, returns a document without paths, and caches nothing. */
export function readDescription() {
  description ??= request({ path: ['openapi.json'], authorization: null }).then(({ body }) => body, () => {
    description = undefined;
    return { info: {}, paths: {} };
  });
  return description;
}
