/**
 * Requests from pages of other origins. Scripts of other origins may call the whole service (cross-origin
 * resource sharing, Fetch Standard §3.2), but not with `credentials: 'include'`: a script sends a password or
 * a token itself, and announces the field in a preflight. Requests that a browser may have been tricked into
 * sending are refused.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hasBody } from './framing.ts';
import { isJsonMediaType } from './media-types.ts';

/** The request fields that are always permitted. `*` would not cover `Authorization` (Fetch §3.2.3). */
const ALLOWED_FIELDS = [
  'Authorization', 'Content-Type', 'X-Requested-With', 'X-Request-Id', 'If-Match', 'If-None-Match', 'Range',
];

/** A field name is a token (RFC 9110 §5.1, §5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The longest list of field names that the response to a preflight repeats. */
const ASKED_FIELDS_BYTES_MAX = 4_096;

/**
 * Permits the usual fields, and every field that the preflight asks for. Tracing libraries add their own
 * fields to requests, and the service ignores all unknown fields. There is no `Vary`, because no cache may
 * store a response to OPTIONS (RFC 9110 §9.3.7).
 *
 * @param methods - The methods of the resource.
 */
export function preflightHeaders(
  methods: readonly string[], { 'access-control-request-headers': asked = '' }: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const names = asked.length > ASKED_FIELDS_BYTES_MAX ? [] : asked.split(',').map((name) => name.trim());
  const valid = names.filter((name) => FIELD_NAME.test(name));
  const fields = new Map([...ALLOWED_FIELDS, ...valid].map((name) => [name.toLowerCase(), name]));
  return {
    'Allow': methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': [...fields.values()].join(', '),
    'Access-Control-Max-Age': '86400', // a day
  };
}

/** Methods that change nothing (RFC 9110 §9.2.1). TRACE is left out, because no operation has it. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds requests that another origin may have forged: a browser that remembers Basic credentials attaches the
 * credentials to some requests that pages of other origins trigger.
 *
 * Before most of these requests, the browser sends a preflight (Fetch §4.8). The response to the preflight
 * never allows `credentials: 'include'`, so the browser does not attach remembered credentials. So if a
 * request is a PUT, PATCH or DELETE, or declares JSON, a script has supplied its credentials. Only POST can
 * skip the preflight: as a form, in mode `no-cors`, or in mode `cors` with the content type of a form or with
 * none.
 *
 * One forgery remains: in mode `cors`, a forged POST without a body looks like a script that signs in. So a
 * page can make the browser issue a token or a password link, but nobody can read the response. If a link is
 * forged, the older link of the same user is revoked, and the user needs a new link.
 *
 * @param allowedOrigin - The origin that operators trust; `*` means that scripts of every origin may call.
 */
export function mayBeForged(incoming: IncomingMessage, allowedOrigin: string): boolean {
  const { method, headers } = incoming;
  const { authorization = '', 'content-type': type, 'sec-fetch-mode': mode = 'cors' } = headers;
  // Browsers set `Sec-Fetch-Mode` themselves: `navigate` for a form, and `cors` for `fetch` by default.
  const isModeOfForms = mode !== 'cors';
  // True for content that is not declared as JSON, and for an empty form.
  const isContentOfForms = type === undefined ? hasBody(incoming) : !isJsonMediaType(type);
  return (
    method === 'POST' &&
    /^basic /i.test(authorization) &&
    isFromOtherOrigin(headers, allowedOrigin) &&
    (allowedOrigin !== '*' || isModeOfForms || isContentOfForms)
  );
}

/**
 * Browsers set `Sec-Fetch-Site` themselves, so the field is right even if a proxy changes `Host`. `same-site`
 * means another origin, such as a neighbouring subdomain. Old browsers, and browsers on plain HTTP, leave the
 * field out; if it is missing, `Origin` decides. Programs send neither field.
 */
export function isFromOtherOrigin(headers: IncomingHttpHeaders, allowedOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin === allowedOrigin) {
    return false;
  }
  return site === undefined
    ? origin !== undefined && origin.replace(/^https?:\/\//, '') !== host?.toLowerCase()
    : site !== 'same-origin' && site !== 'none';
}
