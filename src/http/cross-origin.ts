/**
 * Requests from pages of other origins. Their scripts may call the service (cross-origin resource sharing,
 * Fetch Standard §3.2), but never in credentials mode: a script sends its token itself, in a field that a
 * preflight has announced. Requests that a browser may have been tricked into are refused.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonMediaType } from './body.ts';

/** Response fields that scripts may read in addition to the CORS-safelisted ones. */
const EXPOSED_FIELDS = [
  'Count', 'Total', 'Total-Relation', 'page', 'items_per_page', 'Link', 'Location', 'X-Request-Id', 'ETag',
  'Retry-After', 'WWW-Authenticate',
];

/** Request fields that scripts may send, one by one: `*` does not cover `Authorization` (Fetch §3.2.3). */
const ALLOWED_FIELDS = [
  'Authorization', 'Content-Type', 'X-Requested-With', 'X-Request-Id', 'If-Match', 'If-None-Match', 'Range',
];

const PREFLIGHT_LIFETIME_SECONDS = 86_400;

/** @param origin - `*`, or the one allowed origin. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_FIELDS.join(', '),
  };
}

/** @param methods - The methods of the resource. */
export function preflightHeaders(methods: readonly string[]): Readonly<Record<string, string>> {
  return {
    'Allow': methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED_FIELDS.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_LIFETIME_SECONDS),
  };
}

/** Requests with these methods change nothing here (RFC 9110 §9.2.1; no operation has TRACE). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds cross-site request forgery: a browser that remembers Basic credentials attaches them to every request
 * that a page of another origin triggers.
 *
 * For most requests the browser first asks the service (a preflight, Fetch §4.8). It then leaves remembered
 * credentials out, because credentials mode is never allowed. Only requests that a form can make skip the
 * preflight, and no form can add a header field or declare JSON. So an added field or declared JSON proves
 * that a script supplied the credentials itself.
 *
 * @param allowedOrigin - The origin that operators trust; `*` names no origin.
 */
export function mayBeForged({ method = '', headers }: IncomingMessage, allowedOrigin: string): boolean {
  return (
    !SAFE_METHODS.has(method) &&
    /^basic /i.test(headers.authorization ?? '') &&
    headers['x-requested-with'] === undefined &&
    !isJsonMediaType(headers['content-type'] ?? '') &&
    isFromOtherOrigin(headers, allowedOrigin)
  );
}

/**
 * Browsers set `Sec-Fetch-Site` themselves, so it is right even if proxies change `Host`. `same-site` means
 * another origin, such as a neighbouring subdomain. Old browsers, and browsers on plain HTTP, leave the field
 * out; then `Origin` decides. Programs send neither field.
 */
function isFromOtherOrigin(headers: IncomingHttpHeaders, allowedOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin === allowedOrigin) {
    return false;
  }
  if (site !== undefined) {
    return site !== 'same-origin' && site !== 'none';
  }
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host?.toLowerCase();
}
