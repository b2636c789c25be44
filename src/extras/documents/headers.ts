/**
 * The header fields of responses, as far as programs need them. The fields that every response has, and the
 * fields for caches and browsers, are described in the introduction of the API document and in RFC 9110.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';

const NEVER_REUSED = 'which is never used again. In programs, store the id and not the name.';
const MAY_CHANGE = 'in UTF-8. The name may change, and the old name may be taken again.';

type Field = string | readonly [description: string, bounds: Schema];

const headers = {
  'Location': 'The path of the new resource, or of the page to which a browser is sent.',
  'ETag': [
    'A strong entity tag, to send in `If-None-Match` for another read, or in `If-Match` for a change.',
    { pattern: '^"[A-Za-z0-9_-]{43}"$' },
  ],
  'Refresh': 'Sends browsers to the landing page. Clients that prefer JSON do not get this field.',
  'Count': [
    'The number of items in this response.', { type: 'integer', minimum: 0, maximum: ITEMS_PER_PAGE_MAX },
  ],
  'Total': ['The number of items on all pages.', { type: 'integer', minimum: 0 }],
  'Total-Relation': [
    '`exact`, or `at_least` if the service stopped counting at a limit.',
    { enum: ['exact', 'at_least'] },
  ],
  'page': ['The number of this page.', { type: 'integer', minimum: 1 }],
  'items_per_page': [
    'The largest number of items on a page.', { type: 'integer', minimum: 1, maximum: ITEMS_PER_PAGE_MAX },
  ],
  'Link':
    'Links (RFC 8288). Every page of a list has `first`. ' +
    'A page has `prev` if there is a previous page, and `next` if there is a next page. ' +
    'If not all projects of a user are shown, `related` leads to the list of all projects of the user. ' +
    'At `/`, `alternate` leads to the landing page.',
  'Retry-After': ['Seconds to wait before retrying.', { type: 'integer', minimum: 1 }],
  'WWW-Authenticate': 'The ways to sign in (RFC 7617, RFC 6750).',
  'Remote-User-Id': `The id of the user, ${NEVER_REUSED}`,
  'Remote-User': `The username, ${MAY_CHANGE}`,
  'Remote-Email':
    'The email address, in UTF-8. Do not identify users by an email address: ' +
    'the address is not verified, and several users may have the same address.',
  'Remote-Groups': ['`administrators`, or empty.', { enum: ['', 'administrators'] }],
  'Remote-Project-Id': `The id of the project, ${NEVER_REUSED}`,
  'Remote-Project': `The name of the project, ${MAY_CHANGE}`,
  'Content-Range':
    'The range of bytes in the response, and the size of the file. A response with 416 has only the size.',
} satisfies Readonly<Record<string, Field>>;

export type HeaderName = keyof typeof headers;

/** Fields that a listed response may lack: most responses with 403, for example, have no `Retry-After`. */
const OPTIONAL: ReadonlySet<HeaderName> = new Set(['Link', 'Retry-After', 'Refresh']);

export function headerObject(name: HeaderName) {
  const field: Field = headers[name];
  const [description, bounds] = typeof field === 'string' ? [field] : field;
  return { description, required: !OPTIONAL.has(name), schema: { type: 'string', ...bounds } };
}

/** False for header fields that this file does not describe, such as `Vary`. */
export function isDescribed(name: string): name is HeaderName {
  return Object.hasOwn(headers, name);
}
