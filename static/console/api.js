/**
 * Requests to the service, whose address follows from that of this file, below any prefix. They never use what the browser
 * remembers (`credentials: 'omit'`): a 401 opens our form to sign in rather than the browser's.
 */

/**
 * The segments of the path are not encoded, and lie below `api/v1` unless the call is `outside` of it. `etag` is the version
 * that is to be changed; another one is a 412. `authorization` takes the place of the token; `null` is none.
 *
 * @typedef {{ method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: readonly (string | number)[], outside?: boolean,
 *   query?: URLSearchParams | Record<string, string>, body?: Record<string, unknown>, etag?: string,
 *   authorization?: string | null, signal?: AbortSignal }} Call
 */

/**
 * The body is as the service documents it, and text when it is not JSON; links are the parameters of `Link`, by relation.
 *
 * @typedef {{ body: any, etag: string | undefined, links: Readonly<Record<string, URLSearchParams>> }} Answer
 */

const base = new URL('../../', import.meta.url);

/** @type {string | undefined} */
let token;

/** The event: the token is no longer accepted. */
export const REFUSED = 'token-refused';

/** @param {string | undefined} text */
export function setToken(text) {
  const before = token;
  token = text;
  return before;
}

/** Why a request failed, in the words of the service (RFC 9457) where it has answered. */
export class Problem extends Error {
  /**
   * @param {number} status - 0 when there was no answer.
   * @param {{ type?: string, title?: string, detail?: string, request_id?: string, failed_checks?: string[],
   *   errors?: { pointer: string, message: string }[] }} body
   */
  constructor(status, body) {
    super(body.title ?? `The service answered ${status}`);
    this.status = status;
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
 * @throws {Problem} For every answer but success, and for none; a `DOMException` when the signal says so.
 */
export async function request(call) {
  const { method = 'GET', body, etag, signal, authorization = token === undefined ? null : `Bearer ${token}` } = call;
  const sentToken = token;
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
  }).catch(toProblem);
  const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '');
  const content = await (isJson ? response.json() : response.text()).catch(toProblem);
  if (!response.ok) {
    if (response.status === 401 && call.authorization === undefined && sentToken === token) {
      document.dispatchEvent(new Event(REFUSED));
    }
    throw new Problem(response.status, isJson ? content : {});
  }
  if (call.authorization === undefined && sentToken !== token) {
    toProblem(Error()); // who asked has left, and nobody else is answered
  }
  const { headers } = response;
  return { body: content, etag: headers.get('ETag') ?? undefined, links: parseLinks(headers.get('Link') ?? '') };
}

/**
 * @param {Error} error
 * @returns {never}
 */
function toProblem(error) {
  if (error.name === 'AbortError') {
    throw error;
  }
  throw new Problem(0, {
    title: 'There was no answer',
    detail: 'Whether a change that was asked for has been made is not known.',
  });
}

/** @param {string} field - RFC 8288, as the service writes it: `<target>; rel="next", …`. */
function parseLinks(field) {
  const links = [...field.matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, target = '', relation = '']) => [relation, new URL(target, base).searchParams]));
}

/** @param {Pick<Call, 'path' | 'query' | 'outside'>} call */
function toUrl({ path, query, outside = false }) {
  const url = new URL([...(outside ? [] : ['api', 'v1']), ...path.map(encodeURIComponent)].join('/'), base);
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/** @param {Call} call - For a terminal, with `$token` and `$password` in place of secrets. */
export function toCurl(call) {
  const { method = 'GET', body, etag, authorization } = call;
  const parts = [
    'curl',
    method !== 'GET' && `-X ${method}`,
    authorization === undefined && '-H "Authorization: Bearer $token"',
    authorization && '-u "$username:$password"',
    etag && `-H ${quote(`If-Match: ${etag}`)}`,
    body && `-H 'Content-Type: application/json' \\\n  -d ${quoteBody(body)}`,
    quote(toUrl(call)),
  ];
  return parts.filter(Boolean).join(' \\\n  ');
}

/** @param {Record<string, unknown>} body - Passwords become variables of the shell, outside of the quotes. */
function quoteBody(body) {
  const text = JSON.stringify(body, (name, value) => (/password$/.test(name) ? '' : value), 2);
  return quote(text).replace(/(\w*password)": ""/g, `$1": "'"$$$1"'"`);
}

/** @param {string} text */
function quote(text) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
