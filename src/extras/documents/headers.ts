/** Describes the header fields of responses, except the fields that HTTP itself and Node.js add. */
import type { Schema } from '../../jsonschema/schema.ts';

interface HeaderDescription {
  readonly description: string;
  /** A text, unless given. */
  readonly schema?: Schema;
  readonly example: string | number;
  /** True if the field may be absent from a response whose description lists it. */
  readonly isOptional?: boolean;
}

const headers = {
  'Access-Control-Allow-Origin': {
    description: 'The origin whose scripts may read the response; never with credentials mode.',
    example: '*',
  },
  'Access-Control-Expose-Headers': {
    description: 'The response fields that scripts of other origins may read.',
    example:
      'Count, Total, Total-Relation, page, items_per_page, Link, Location, X-Request-Id, ETag, ' +
      'Retry-After, WWW-Authenticate',
  },
  'Cache-Control': {
    description:
      '`no-store`, or for static files `no-cache`: caches may keep them, but must validate them ' +
        'with `If-None-Match` before each use.',
    schema: { type: 'string', enum: ['no-store', 'no-cache'] },
    example: 'no-store',
  },
  'X-Content-Type-Options': {
    description: 'Browsers do not guess another media type.',
    schema: { type: 'string', enum: ['nosniff'] },
    example: 'nosniff',
  },
  'X-Request-Id': {
    description: 'The id of the request, as in the log of the service: the one that was sent, or a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:=@+/-]{1,128}$' },
    example: '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  },
  'Strict-Transport-Security': {
    description: 'Browsers use HTTPS only, for a year.',
    example: 'max-age=31536000',
  },
  'Location': {
    description: 'The path of the new resource, or of the page to go to.',
    example: '/api/v1/projects/1',
  },
  'ETag': {
    description:
      'A strong entity tag of the representation. Send it in `If-None-Match` to read again, in ' +
      '`If-Match` to change.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]{43}"$' },
    example: '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  },
  'Count': {
    description: 'The number of items in this answer.',
    schema: { type: 'integer', minimum: 0, maximum: 1000 },
    example: 1,
  },
  'Total': {
    description: 'The number of items on all pages. `Total-Relation` says whether it is exact.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  'Total-Relation': {
    description:
      '`exact`, or `at_least` if counting stopped at a limit: for a search or filter with many ' +
      'matches, and for lists of many tokens or audit events.',
    schema: { type: 'string', enum: ['exact', 'at_least'] },
    example: 'exact',
  },
  'page': {
    description: 'The number of this page.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'items_per_page': {
    description: 'The largest number of items on a page.',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    example: 1,
  },
  'Link': {
    description:
      'Paths of other pages (RFC 8288): `first` always, `prev` and `next` if there are such pages. Follow ' +
      '`next` until it is absent.',
    example: '</api/v1/users?page=1&items_per_page=1>; rel="first"',
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'The ways to sign in (RFC 7617, RFC 6750).',
    example: 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"',
  },
  'Allow': {
    description: 'The methods of the resource.',
    example: 'GET, OPTIONS, HEAD',
  },
  'Access-Control-Allow-Methods': {
    description: 'The methods that scripts of other origins may use.',
    example: 'GET, OPTIONS, HEAD',
  },
  'Access-Control-Allow-Headers': {
    description: 'The request fields that scripts of other origins may send.',
    example: 'Authorization, Content-Type, X-Requested-With, X-Request-Id, If-Match, If-None-Match, Range',
  },
  'Access-Control-Max-Age': {
    description: 'Seconds for which a browser may cache the preflight.',
    schema: { type: 'integer', minimum: 0 },
    example: 86400,
  },
  'Accept-Ranges': {
    description: 'The file can be requested in parts.',
    schema: { type: 'string', enum: ['bytes'] },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'The range of bytes in the answer and the total; with 416 only the total.',
    example: 'bytes 0-14/2048',
  },
  'Content-Encoding': {
    description: 'The coding of the content; absent without a coding.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
    example: 'br',
    isOptional: true,
  },
  'Vary': {
    description: 'The request fields that the answer depends on, for caches.',
    example: 'Accept-Encoding',
    isOptional: true,
  },
  'Content-Security-Policy': {
    description: 'For pages: what they may load and do.',
    example: "default-src 'none'; script-src 'self'; style-src 'self'",
    isOptional: true,
  },
  'Cross-Origin-Opener-Policy': {
    description: 'For pages: cross-origin windows cannot reference them.',
    example: 'same-origin',
    isOptional: true,
  },
  'Referrer-Policy': {
    description: 'For pages: links do not send their address.',
    example: 'no-referrer',
    isOptional: true,
  },
} as const satisfies Readonly<Record<string, HeaderDescription>>;

export type HeaderName = keyof typeof headers;

export const COMMON_HEADERS: readonly HeaderName[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'X-Content-Type-Options',
  'X-Request-Id',
];

/** @returns The Header Object of OpenAPI. */
export function headerObject(name: HeaderName) {
  const {
    description, schema = { type: 'string' }, example, isOptional = false,
  }: HeaderDescription = headers[name];
  return { description, required: !isOptional, schema, example };
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
