/**
 * Requests from pages of other origins. Their scripts may call the whole service (cross-origin resource
 * sharing, Fetch Standard §3.2), but never in credentials mode. A script sends its password or token itself,
 * and announces the field in a preflight. Requests that a browser may have been tricked into are refused.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hasBody } from './framing.ts';
import { isJsonMediaType } from './media-types.ts';

/** Request fields that are always permitted. `*` would not cover `Authorization` (Fetch §3.2.3). */
const ALLOWED_FIELDS = [
  'Authorization', 'Content-Type', 'X-Requested-With', 'X-Request-Id', 'If-Match', 'If-None-Match', 'Range',
];

/** A field name is a token (RFC 9110 §5.1, §5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Bounds on the fields that a preflight asks for and that its response repeats. */
const ASKED_FIELDS_MAX = 100;
const ASKED_FIELDS_BYTES_MAX = 4_096;

/**
 * Permits every field that the preflight asks for, in addition to the usual ones. Tracing libraries and
 * proxies of applications add fields of their own, and fields without meaning here are ignored. There is no
 * `Vary`, because no cache may store a response to OPTIONS (RFC 9110 §9.3.7).
 *
 * @param methods - The methods of the resource.
 */
export function preflightHeaders(
  methods: readonly string[], { 'access-control-request-headers': asked = '' }: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const names = asked.length > ASKED_FIELDS_BYTES_MAX ? [] : asked.split(',').map((name) => name.trim());
  const valid = names.filter((name) => FIELD_NAME.test(name)).slice(0, ASKED_FIELDS_MAX);
  const fields = new Map([...ALLOWED_FIELDS, ...valid].map((name) => [name.toLowerCase(), name]));
  return {
    'Allow': methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': [...fields.values()].join(', '),
    'Access-Control-Max-Age': '86400', // a day
  };
}

/** Requests with these methods change nothing here (RFC 9110 §9.2.1; no operation has TRACE). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds cross-site request forgery: a browser that remembers Basic credentials attaches them to some requests
 * that a page of another origin triggers.
 *
 * Before most requests the browser asks the service (a preflight, Fetch §4.8). It then leaves remembered
 * credentials out, because credentials mode is never allowed. So PUT, PATCH, DELETE and declared JSON prove
 * that a script supplied the credentials itself. Only POST can skip the preflight: as a form, in mode
 * `no-cors`, or in mode `cors` with a form's content type or none.
 *
 * One forgery remains: in mode `cors`, a forged POST without a body cannot be told from a script that signs
 * in. A page can so make the browser issue a token or a password link, but neither the page nor anybody else
 * can read it. A link ends the older link of its user, who then needs another.
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
 * Browsers set `Sec-Fetch-Site` themselves, so it is right even if proxies change `Host`. `same-site` means
 * another origin, such as a neighbouring subdomain. Old browsers, and browsers on plain HTTP, leave the field
 * out; then `Origin` decides. Programs send neither field.
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
