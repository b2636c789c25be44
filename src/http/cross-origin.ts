/**
 * Scripts of other origins may call the whole service (CORS, Fetch Standard §3.2), but never with credentials
 * that the browser remembers.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonMediaType } from './media-types.ts';
import { hasBody } from './message.ts';

/** The fields that scripts may always send. The value `*` would not cover `Authorization` (Fetch §3.2.3). */
const ALLOWED_FIELDS = [
  'Authorization', 'Content-Type', 'X-Requested-With', 'X-Request-Id', 'If-Match', 'If-None-Match', 'Range',
];

/** The name of a header field is a `token` of RFC 9110 (§5.1, §5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The longest list of field names, in characters: to check a list of 16 KB would take a millisecond. */
const ASKED_LENGTH_MAX = 4_096;

/**
 * Permits all header fields that a preflight asks for: tracing libraries add fields of their own. A response
 * to a preflight needs no `Vary`, because no cache may store a response to OPTIONS (RFC 9110 §9.3.7).
 */
export function preflightHeaders(
  methods: readonly string[], { 'access-control-request-headers': asked = '' }: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const names = asked.length > ASKED_LENGTH_MAX ? [] : asked.split(',').map((name) => name.trim());
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
 * Finds requests that a page of another origin may have forged. A browser attaches remembered Basic
 * credentials to requests that need no preflight (Fetch §4.8): a POST of a form, a POST in mode `no-cors`,
 * and a POST in mode `cors` with no content type or with the content type of a form.
 *
 * One forgery remains possible: in mode `cors`, a POST without a body looks like the sign-in of a script. A
 * page that forges a POST can create a token or a password link, but cannot read it. A new password link
 * revokes older links.
 */
export function mayBeForged(incoming: IncomingMessage, allowedOrigin: string): boolean {
  const { method, headers } = incoming;
  const { authorization = '', 'content-type': type, 'sec-fetch-mode': mode = 'cors' } = headers;
  // As `Sec-Fetch-Mode`, browsers send `navigate` for a form, and by default `cors` for `fetch`.
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
 * `Sec-Fetch-Site` is right even if a proxy changes `Host`. As `Sec-Fetch-Site`, `same-site` means another
 * origin, such as a neighbouring subdomain. Old browsers, and all browsers on plain HTTP, send `Origin`
 * without `Sec-Fetch-Site`. Programs that are no browsers send neither `Origin` nor `Sec-Fetch-Site`.
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
