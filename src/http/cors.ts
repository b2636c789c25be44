/**
 * Cross-origin resource sharing (Fetch Standard §3.2): the fields that let scripts of other origins call
 * the service. Credentials mode is never allowed: a script sends its token itself, in a field that a
 * preflight has announced.
 */

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
