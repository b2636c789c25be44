/**
 * The header fields of responses that programs read. Left out are the fields of every response, and those by
 * which HTTP, caches and browsers work: the introduction of the document and RFC 9110 describe them.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';

const NEVER_REUSED = 'which is never used again. Store the id in programs, and not the name.';
const MAY_CHANGE = 'in UTF-8. The name may change, and may be used again.';

const field = (description: string, example: string | number, bounds: Schema = {}) => (
  { description, example, bounds }
);

const headers = {
  'Location': field('The path of the new resource, or of the page to go to.', '/api/v1/projects/1'),
  'ETag': field(
    'A strong entity tag. Send it in `If-None-Match` to read again, or in `If-Match` to make a change.',
    '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"', { pattern: '^"[A-Za-z0-9_-]{43}"$' },
  ),
  'Refresh': field(
    'Sends browsers to the landing page. Clients that prefer JSON do not get it.', '0; url=/static/',
  ),
  'Count': field('The number of items in this response.', 1, { minimum: 0, maximum: ITEMS_PER_PAGE_MAX }),
  'Total': field('The number of items on all pages.', 2, { minimum: 0 }),
  'Total-Relation': field(
    '`exact`, or `at_least` if the service stopped counting at a limit. This happens if a search or filter ' +
    'has many matches, and in long lists of tokens or audit events.',
    'exact', { enum: ['exact', 'at_least'] },
  ),
  'page': field('The number of this page.', 1, { minimum: 1 }),
  'items_per_page': field(
    'The largest number of items on a page.', 1, { minimum: 1, maximum: ITEMS_PER_PAGE_MAX },
  ),
  'Link': field(
    'Links (RFC 8288). Every page of a list has `first`, and `prev` and `next` if there are such pages. If ' +
    'a user has more projects than are shown, `related` is the list of all. At the root, `alternate` is ' +
    'the landing page.',
    '</api/v1/users?page=1&items_per_page=1>; rel="first"',
  ),
  'Retry-After': field('Seconds to wait before retrying.', 5, { minimum: 1 }),
  'WWW-Authenticate': field(
    'The ways to sign in (RFC 7617, RFC 6750).',
    'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"',
  ),
  'Remote-User-Id': field(`The id of the user, ${NEVER_REUSED}`, '2'),
  'Remote-User': field(`The username, ${MAY_CHANGE}`, 'ada'),
  'Remote-Email': field(
    'The email address, in UTF-8. It is neither verified nor unique, so do not identify users by it.',
    'ada@example.org',
  ),
  'Remote-Groups': field('`administrators`, or empty.', '', { enum: ['', 'administrators'] }),
  'Remote-Project-Id': field(`The id of the project, ${NEVER_REUSED}`, '1'),
  'Remote-Project': field(`The name of the project, ${MAY_CHANGE}`, 'notes'),
  'Content-Range': field(
    'The range of bytes in the response, and the size of the file. With 416, only the size.',
    'bytes 0-14/2048',
  ),
};

export type HeaderName = keyof typeof headers;

/** Fields that a listed response may lack: few 403 have `Retry-After`, and few single reads `Link`. */
const OPTIONAL: ReadonlySet<HeaderName> = new Set(['Link', 'Retry-After', 'Refresh']);

/** @returns The Header Object of OpenAPI. */
export function headerObject(name: HeaderName) {
  const { description, example, bounds } = headers[name];
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { description, required: !OPTIONAL.has(name), schema: { type, ...bounds }, example };
}

/** Separates the fields that the document describes from general fields of HTTP, such as `Vary`. */
export function isDescribed(name: string): name is HeaderName {
  return Object.hasOwn(headers, name);
}
