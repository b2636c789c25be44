/** The parameters that operations share. */
import type { Schema } from '../jsonschema/schema.ts';
import { ITEMS_PER_PAGE_MAX, toSortWords } from '../schemas/parameters.ts';
import type { Parameter } from './description.ts';

function query(name: string, description: string, schema: Schema, example?: unknown): Parameter {
  return { in: 'query', name, description, schema, ...(example !== undefined && { example }) };
}

function header(name: string, description: string, example: string): Parameter {
  return { in: 'header', name, description, schema: { type: 'string' }, example };
}

const text: Schema = { type: 'string' };

export { query as queryParameter };

export const shared = {
  page: query('page', 'The number of the page, from 1. Past the end the list is empty.', {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
  }),
  items_per_page: query('items_per_page', 'How many items a page has at most.', {
    type: 'integer',
    minimum: 1,
    maximum: ITEMS_PER_PAGE_MAX,
    default: ITEMS_PER_PAGE_MAX,
  }),
  contains: query(
    'contains',
    'Only names with this text in them; case is ignored. With it, `starts_with` and `ends_with` are ignored.',
    text,
    'ad',
  ),
  starts_with: query('starts_with', 'Only names that begin with this text; case is ignored.', text, 'a'),
  ends_with: query(
    'ends_with',
    'Only names that end with this text, which does not overlap with `starts_with`; case is ignored.',
    text,
    'a',
  ),
  'If-Match': header(
    'If-Match',
    'The entity tag of the state that is expected, or several of them, or `*`; in any other state the answer is 412.',
    '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  ),
  'If-None-Match': header(
    'If-None-Match',
    'The entity tag of what the client has, or several of them, or `*`; if it is still so, the answer is 304, or 412 ' +
    'where something is to be changed.',
    '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  ),
  'Range': header(
    'Range',
    'The part to answer, in bytes; one range. Anything else is ignored, and so is the field with HEAD.',
    'bytes=0-14',
  ),
  'If-Range': header(
    'If-Range',
    'Honour `Range` only if this is still the entity tag, else answer everything.',
    '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  ),
  'Accept-Encoding': header(
    'Accept-Encoding',
    'The codings that the client understands: `br` and `gzip` are available. Without it the file is not coded.',
    'br, gzip',
  ),
  'X-Request-Id': header(
    'X-Request-Id',
    'An id for this request, of 1 to 128 of the characters `A-Z a-z 0-9 . _ : = @ + / -`, set by a proxy ' +
    'in `TRUST_PROXY`; it is returned and logged. Any other id is replaced by a new one.',
    '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  ),
  'traceparent': header(
    'traceparent',
    'The trace that this request is part of (W3C Trace Context), for the log. What is not well-formed is ignored.',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ),
} as const satisfies Readonly<Record<string, Parameter>>;

export const PAGING: readonly Parameter[] = [shared.page, shared.items_per_page];
export const SEARCH: readonly Parameter[] = [shared.contains, shared.starts_with, shared.ends_with];
export const CONDITIONS: readonly Parameter[] = [shared['If-Match'], shared['If-None-Match']];
export const FILE_FIELDS: readonly Parameter[] = [...CONDITIONS, shared['Range'], shared['If-Range'], shared['Accept-Encoding']];

/** Every operation takes these. */
export const EVERYWHERE: readonly Parameter[] = [shared['X-Request-Id'], shared['traceparent']];

export function sortParameter(keys: readonly string[]): Parameter {
  return query(
    'sort',
    'What the list is sorted by; with a minus before it, downwards. Case is ignored, and what is equal is in the order of ids.',
    {
      type: 'string',
      enum: toSortWords(keys),
      default: 'id',
    },
  );
}

function path(name: string, description: string, example: unknown, schema: Schema = { type: 'string', minLength: 1 }): Parameter {
  return { in: 'path', name, description, schema, example };
}

export const pathParameters: Readonly<Record<string, Parameter>> = {
  username_or_id: path('username_or_id', 'A username, case ignored, or the id of a user: decimal digits alone are an id.', 'ada'),
  project_name_or_id: path(
    'project_name_or_id',
    'The name of a project, case ignored, or its id: decimal digits alone are an id.',
    'notes',
  ),
  token_id: path('token_id', 'The id of a token, as lists show it; not the token itself.', 7, { type: 'integer', minimum: 1 }),
  filename: path(
    'filename',
    'The path of a file within the static folder, sub-directories included, with `/` between them. Clients that are ' +
    'generated from this document may encode `/`, which finds no file.',
    'index.html',
  ),
};
