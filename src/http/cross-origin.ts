/**
 * The service allows scripts of other origins to call every operation (CORS, Fetch Standard §3.2), but never
 * with credentials that the browser remembers.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hasBody, isJsonMediaType } from './body.ts';

/** The allowed header fields of cross-origin requests. `*` would not allow `Authorization` (Fetch §3.2.3). */
const ALLOWED_FIELDS = [
  'Authorization', 'Content-Type', 'X-Requested-With', 'X-Request-Id', 'If-Match', 'If-None-Match', 'Range',
];

/** The name of a header field is a `token` of RFC 9110 (§5.1, §5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Permits all fields that a preflight asks for, because tracing libraries add their own fields. A response to
 * a preflight needs no `Vary`, because no cache may store a response to OPTIONS (RFC 9110 §9.3.7).
 */
export function preflightHeaders(methods: readonly string[], headers: IncomingHttpHeaders) {
  const { 'access-control-request-headers': asked = '' } = headers;
  // A list of more than 4,096 characters is ignored. The longest possible list has 16 KB, and checking this
  // list would take a millisecond.
  const names = asked.length > 4_096 ? [] : asked.split(',').map((name) => name.trim());
  const valid = names.filter((name) => FIELD_NAME.test(name));
  const fields = new Map([...ALLOWED_FIELDS, ...valid].map((name) => [name.toLowerCase(), name]));
  return {
    'Allow': methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': [...fields.values()].join(', '),
    'Access-Control-Max-Age': '86400', // a day
  };
}

/**
 * Finds requests that a page of another origin could have forged. If a POST needs no preflight, browsers
 * attach remembered Basic credentials to this POST (Fetch §4.8). A form sends a POST without a preflight,
 * and so does a script in the mode `no-cors`. In the mode `cors`, there is no preflight if the content type
 * is missing or is the type of a form.
 *
 * One forgery remains possible. In the mode `cors`, a forged POST without a body looks exactly like a sign-in
 * by a script. A forged POST can create a token, or a password link that revokes an older link. But the page
 * that sends the POST cannot read the response.
 */
export function mayBeForged(incoming: IncomingMessage, allowedOrigin: string): boolean {
  const { method, headers } = incoming;
  const { authorization = '', 'content-type': type, 'sec-fetch-mode': mode = 'cors' } = headers;
  // For a form, browsers send `Sec-Fetch-Mode: navigate`; for `fetch`, they send `cors` by default.
  const isModeOfForms = mode !== 'cors';
  const isContentOfForms = type === undefined ? hasBody(incoming) : !isJsonMediaType(type);
  return (
    method === 'POST' &&
    /^basic /i.test(authorization) &&
    isFromOtherOrigin(headers, allowedOrigin) &&
    (allowedOrigin !== '*' || isModeOfForms || isContentOfForms)
  );
}

/**
 * `Sec-Fetch-Site` is right even if a proxy changes `Host`. `Sec-Fetch-Site: same-site` means another origin,
 * such as a neighbouring subdomain. Old browsers, and all browsers on plain HTTP, send `Origin` without
 * `Sec-Fetch-Site`. Programs other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
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
