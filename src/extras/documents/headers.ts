/**
 * The header fields of responses that programs read. Left out are the fields of every response, and those by
 * which HTTP, caches and browsers work: the introduction of the document and RFC 9110 describe them.
 */
import { integer, text, wordOf, type TypedSchema } from '../../jsonschema/typed.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';

const NEVER_REUSED = 'which is never used again. Programs store this, not the name.';
const MAY_CHANGE = 'in UTF-8. It may change, and another one may get it.';

const headers = {
  'Location': text({
    description: 'The path of the new resource, or of the page to go to.', example: '/api/v1/projects/1',
  }),
  'ETag': text({
    description: 'A strong entity tag. Send it in `If-None-Match` to read again, in `If-Match` to change.',
    pattern: '^"[A-Za-z0-9_-]{43}"$', example: '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  }),
  'Refresh': text({
    description: 'Sends browsers to the landing page: clients that prefer `text/html` to JSON.',
    example: '0; url=/static/',
  }),
  'Count': integer({
    description: 'The number of items in this answer.', minimum: 0, maximum: ITEMS_PER_PAGE_MAX, example: 1,
  }),
  'Total': integer({ description: 'The number of items on all pages.', minimum: 0, example: 2 }),
  'Total-Relation': wordOf(['exact', 'at_least'], {
    description:
      '`exact`, or `at_least` if counting stopped at a limit: for a search or filter with many matches, ' +
      'and for lists of many tokens or audit events.',
  }),
  'page': integer({ description: 'The number of this page.', minimum: 1, example: 1 }),
  'items_per_page': integer({
    description: 'The largest number of items on a page.',
    minimum: 1, maximum: ITEMS_PER_PAGE_MAX, example: 1,
  }),
  'Link': text({
    description:
      'Links (RFC 8288). In lists, `first` always, `prev` and `next` if there are such pages. For a user ' +
      'with more projects than are shown, `related` leads to all. At the root, the landing page.',
    example: '</api/v1/users?page=1&items_per_page=1>; rel="first"',
  }),
  'Retry-After': integer({ description: 'Seconds to wait before retrying.', minimum: 1, example: 5 }),
  'WWW-Authenticate': text({
    description: 'The ways to sign in (RFC 7617, RFC 6750).',
    example: 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"',
  }),
  'Remote-User-Id': text({ description: `The id of the user, ${NEVER_REUSED}`, example: '2' }),
  'Remote-User': text({ description: `The username, ${MAY_CHANGE}`, example: 'ada' }),
  'Remote-Email': text({
    description: 'The email address, in UTF-8. It is neither verified nor unique: identify nobody by it.',
    example: 'ada@example.org',
  }),
  'Remote-Groups': wordOf(['', 'administrators'], { description: '`administrators`, or empty.' }),
  'Remote-Project-Id': text({ description: `The id of the project, ${NEVER_REUSED}`, example: '1' }),
  'Remote-Project': text({ description: `The name of the project, ${MAY_CHANGE}`, example: 'notes' }),
  'Content-Range': text({
    description: 'The range of bytes in the answer and the total; with 416 only the total.',
    example: 'bytes 0-14/2048',
  }),
} as const;

export type HeaderName = keyof typeof headers;

/** Fields that a listed response may lack: few 403 have `Retry-After`, and few single reads `Link`. */
const OPTIONAL: ReadonlySet<HeaderName> = new Set(['Link', 'Retry-After', 'Refresh']);

/** @returns The Header Object of OpenAPI. */
export function headerObject(name: HeaderName) {
  const { json: { description, ...schema }, example }: TypedSchema<unknown> = headers[name];
  return { description, required: !OPTIONAL.has(name), schema, example };
}

/** Tells the fields that the document describes from those of HTTP, such as `Vary`. */
export function isDescribed(name: string): name is HeaderName {
  return Object.hasOwn(headers, name);
}
