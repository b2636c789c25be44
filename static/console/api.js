/**
 * Sends requests to the service. The address of the service is computed from the address of this file, so any
 * path prefix works. The browser adds no stored credentials, so a 401 opens the sign-in form of the console,
 * and not the dialog of the browser.
 */
import { BASIC, BEARER, quoteJson, toCurl as toCurlLine } from '../shared/curl.js';

/**
 * A request. `path` lists the unencoded path segments after `api/v1`. If `outside` is true, the path does not
 * contain `api/v1`. `etag` names the version of the record to change. If the record has a different version,
 * the response is 412. `authorization` is sent in place of the token. With `null`, no credentials are sent.
 *
 * @typedef {{ method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: readonly (string | number)[],
 *   outside?: boolean, query?: URLSearchParams | Record<string, string>, body?: Record<string, unknown>,
 *   etag?: string, authorization?: string | null, signal?: AbortSignal }} Call
 */

/**
 * `body` is the parsed JSON of the response, or the text of a response that is not JSON. In the response to a
 * list, `total` counts the items of all pages, and `hasNext` tells whether another page follows.
 *
 * @typedef {{ body: any, etag: string | undefined, total: Count | undefined, hasNext: boolean }} Answer
 */

/**
 * A number of records. If the relation is `at_least`, the service has stopped counting at a limit.
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

/** The signed-in user. @type {Me | undefined} */
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

/** The name of the event that announces a refusal: the service no longer accepts the token of the session. */
export const REFUSED = 'token-refused';

/** @param {string | undefined} text */
export function setToken(text) {
  const before = token;
  token = text;
  return before;
}

/** Says why a request failed. If the service responded, the words come from the service (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status - The status of the response; 0 if no response arrived.
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
 * @throws {Problem} Thrown if the response is an error, or if no response arrives. If the signal of the call
 *   aborts, a `DOMException` is thrown.
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
    hasNext: headers.get('Link')?.includes('rel="next"') ?? false, // RFC 8288 defines `Link`
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

/** Builds a curl command that sends a call, with shell variables in place of secrets. @param {Call} call */
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

/** Reads and caches the OpenAPI document. After a failure, returns a document without paths. */
export function readDescription() {
  description ??= request({ path: ['openapi.json'], authorization: null }).then(({ body }) => body, () => {
    description = undefined;
    return { info: {}, paths: {} };
  });
  return description;
}
