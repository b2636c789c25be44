/**
 * The header fields that programs read in responses. The introduction of the API document describes the
 * header fields that every response has.
 */
import { ITEMS_PER_PAGE_MAX } from '../../api/parameters.ts';
import type { Schema } from '../../jsonschema/schema.ts';

const NEVER_REUSED = 'The service never uses an id twice. In programs, store the id and not the name.';
const MAY_CHANGE = 'in UTF-8. Names may change, and an old name may be used again.';

const integer = (minimum: number, others: Schema = {}): Schema => ({ type: 'integer', minimum, ...others });

type Field = readonly [description: string, schema?: Schema];

const headers = {
  'Location': ['The path of the new resource. In a redirect, the path that the browser must open.'],
  'ETag': ['A strong entity tag for `If-None-Match` or `If-Match`.', { pattern: '^"[A-Za-z0-9_-]{43}"$' }],
  'Refresh': ['Sends browsers to the landing page. Clients that prefer JSON do not get this field.'],
  'Count': ['The number of items in this response.', integer(0, { maximum: ITEMS_PER_PAGE_MAX })],
  'Total': ['The number of items on all pages.', integer(0)],
  'Total-Relation': ['If the value is `at_least`, `Total` is a minimum.', { enum: ['exact', 'at_least'] }],
  'page': ['The number of this page.', integer(1)],
  'items_per_page': ['The maximum number of items on a page.', integer(1, { maximum: ITEMS_PER_PAGE_MAX })],
  'Link': [
    'Links (RFC 8288): `first`, `prev` and `next` lead to pages of a list, if these pages exist. ' +
    '`related` leads to the list of all projects of a user, if the response lacks some projects. ' +
    'In the response to `/`, the link `alternate` leads to the landing page.',
  ],
  'Retry-After': ['The number of seconds to wait before retrying.', integer(1)],
  'WWW-Authenticate': ['The ways to sign in (RFC 7617, RFC 6750).'],
  'Remote-User-Id': [`The id of the user. ${NEVER_REUSED}`],
  'Remote-User': [`The username, ${MAY_CHANGE}`],
  'Remote-Email': ['The email address in UTF-8, which is neither verified nor unique.'],
  'Remote-Groups': [
    '`administrators` for an administrator; empty for all other users.', { enum: ['', 'administrators'] },
  ],
  'Remote-Project-Id': [`The id of the project. ${NEVER_REUSED}`],
  'Remote-Project': [`The name of the project, ${MAY_CHANGE}`],
  'Content-Range': ['The size of the file and, with the status 206, the range of bytes in the response.'],
} satisfies Readonly<Record<string, Field>>;

export type HeaderName = keyof typeof headers;

/** Header fields that may be absent: for example, most responses with 403 have no `Retry-After`. */
const OPTIONAL: readonly HeaderName[] = ['Link', 'Retry-After', 'Refresh'];

export function headerObject(name: HeaderName) {
  const [description, schema]: Field = headers[name];
  return { description, required: !OPTIONAL.includes(name), schema: { type: 'string', ...schema } };
}

/** False for header fields that this file does not describe, such as `Vary`. */
export const isDescribed = (name: string): name is HeaderName => Object.hasOwn(headers, name);
