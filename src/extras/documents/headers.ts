/** Describes the header fields of responses, except the fields that HTTP itself and Node.js add. */
import { EXPOSED_FIELDS } from '../../api/replies.ts';
import { commonHeaders, preflightHeaders } from '../../http/cross-origin.ts';
import { integer, oneOf, text, type TypedSchema } from '../../jsonschema/typed.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';

/** Examples of the fields that do not depend on the operation, from the functions that make them. */
const samples: Readonly<Record<string, string>> = {
  ...commonHeaders({ origin: '*', exposed: EXPOSED_FIELDS, isSecure: true }),
  ...preflightHeaders(['GET', 'OPTIONS', 'HEAD'], {}),
};

const headers = {
  'Access-Control-Allow-Origin': text({
    description: 'The origin whose scripts may read the response; never with credentials mode.',
  }),
  'Access-Control-Expose-Headers': text({
    description: 'The response fields that scripts of other origins may read.',
  }),
  'Access-Control-Allow-Methods': text({
    description: 'The methods that scripts of other origins may use.',
  }),
  'Access-Control-Allow-Headers': text({
    description: 'The request fields that scripts of other origins may send.',
  }),
  'Access-Control-Max-Age': integer({
    description: 'Seconds for which a browser may cache the preflight.', minimum: 0,
  }),
  'Allow': text({ description: 'The methods of the resource.' }),
  'Strict-Transport-Security': text({ description: 'Browsers use HTTPS only, for a year.' }),
  'Cache-Control': oneOf(['no-store', 'no-cache'], {
    description:
      '`no-store`, or for static files `no-cache`: caches may keep them, but must validate them ' +
      'with `If-None-Match` before each use.',
  }),
  'X-Content-Type-Options': oneOf(['nosniff'], {
    description: 'Browsers do not guess another media type.',
  }),
  'X-Request-Id': text({
    description: 'The id of the request, as in the log of the service: the one that was sent, or a new one.',
    pattern: '^[A-Za-z0-9._:=@+/-]{1,128}$', example: '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  }),
  'Location': text({
    description: 'The path of the new resource, or of the page to go to.', example: '/api/v1/projects/1',
  }),
  'ETag': text({
    description:
      'A strong entity tag of the representation. Send it in `If-None-Match` to read again, in ' +
      '`If-Match` to change.',
    pattern: '^"[A-Za-z0-9_-]{43}"$', example: '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  }),
  'Refresh': text({
    description: 'Sends browsers to the landing page: clients that prefer `text/html` to JSON.',
    example: '0; url=/static/',
  }),
  'Count': integer({
    description: 'The number of items in this answer.', minimum: 0, maximum: ITEMS_PER_PAGE_MAX, example: 1,
  }),
  'Total': integer({
    description: 'The number of items on all pages. `Total-Relation` says whether it is exact.',
    minimum: 0, example: 2,
  }),
  'Total-Relation': oneOf(['exact', 'at_least'], {
    description:
      '`exact`, or `at_least` if counting stopped at a limit: for a search or filter with many ' +
      'matches, and for lists of many tokens or audit events.',
  }),
  'page': integer({ description: 'The number of this page.', minimum: 1, example: 1 }),
  'items_per_page': integer({
    description: 'The largest number of items on a page.',
    minimum: 1, maximum: ITEMS_PER_PAGE_MAX, example: 1,
  }),
  'Link': text({
    description:
      'Links (RFC 8288). In lists, `first` always, `prev` and `next` if there are such pages: follow ' +
      '`next` until it is absent. For a user with more projects than are shown, `related` leads to all. ' +
      'At the root, the landing page.',
    example: '</api/v1/users?page=1&items_per_page=1>; rel="first"',
  }),
  'Retry-After': integer({ description: 'Seconds to wait before retrying.', minimum: 1, example: 5 }),
  'WWW-Authenticate': text({
    description: 'The ways to sign in (RFC 7617, RFC 6750).',
    example: 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"',
  }),
  'Remote-User-Id': text({
    description: 'The id of the user, which is never used again. Programs store this, not the name.',
    example: '2',
  }),
  'Remote-User': text({
    description: 'The username, in UTF-8. It may change, and another user may get it.', example: 'ada',
  }),
  'Remote-Email': text({
    description:
      'The email address of the user, in UTF-8. It is neither verified nor unique: identify nobody by it.',
    example: 'ada@example.org',
  }),
  'Remote-Groups': oneOf(['', 'administrators'], { description: '`administrators`, or empty.' }),
  'Remote-Project-Id': text({
    description: 'The id of the project, which is never used again. Programs store this, not the name.',
    example: '1',
  }),
  'Remote-Project': text({
    description: 'The name of the project, in UTF-8. It may change, and another project may get it.',
    example: 'notes',
  }),
  'Accept-Ranges': oneOf(['bytes'], { description: 'The file can be requested in parts.' }),
  'Content-Range': text({
    description: 'The range of bytes in the answer and the total; with 416 only the total.',
    example: 'bytes 0-14/2048',
  }),
  'Content-Encoding': oneOf(['gzip'], {
    description: 'The coding of the content; absent without a coding.',
  }),
  'Vary': text({
    description: 'The request fields that the answer depends on, for caches.', example: 'Accept-Encoding',
  }),
  'Content-Security-Policy': text({
    description: 'For pages: what they may load and do.',
    example: "default-src 'none'; script-src 'self'; style-src 'self'",
  }),
  'Cross-Origin-Opener-Policy': text({
    description: 'For pages: cross-origin windows cannot reference them.', example: 'same-origin',
  }),
  'Referrer-Policy': text({
    description: 'For pages: links do not send their address.', example: 'no-referrer',
  }),
} as const;

/** The fields that only pages have. */
export const PAGE_HEADERS = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Referrer-Policy'];

export type HeaderName = keyof typeof headers;

/**
 * Fields that may be absent from a response whose description lists them. Few 403 have `Retry-After`, and few
 * single reads `Link`.
 */
const OPTIONAL: ReadonlySet<HeaderName> = new Set([
  'Link', 'Retry-After', 'Refresh', 'Content-Encoding', 'Vary', 'Content-Security-Policy',
  'Cross-Origin-Opener-Policy', 'Referrer-Policy',
]);

/** @returns The Header Object of OpenAPI. */
export function headerObject(name: HeaderName) {
  const { json: { description, ...schema }, example }: TypedSchema<unknown> = headers[name];
  const { [name]: sample = example } = samples;
  return {
    description,
    required: !OPTIONAL.has(name),
    schema,
    example: schema.type === 'integer' ? Number(sample) : sample,
  };
}

/** @throws Error for a field without a description. */
export function headerName(name: string): HeaderName {
  if (!Object.hasOwn(headers, name)) {
    throw new Error(`The header field ${name} has no description`);
  }
  return name as HeaderName; // checked above
}

/** @throws Error for a field without a description. */
export function fieldNames(names: readonly string[]): readonly HeaderName[] {
  return names.map(headerName);
}
