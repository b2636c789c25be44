/** The kinds of replies, and the entity tags of records. */
import { evaluatePreconditions, toEntityTag, type EntityTag } from '../http/conditional.ts';
import type { Headers, HttpRequest, Reply } from '../http/message.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { JsonPage } from '../stores/list.ts';
import { refuse, type Refusal } from './problems.ts';

/** Scripts of other origins can read these response fields, and the CORS-safelisted response fields. */
export const EXPOSED_FIELDS = 'Count, Total, Total-Relation, page, items_per_page, Link, Location, ' +
  'X-Request-Id, ETag, Retry-After, WWW-Authenticate';

export interface Replies<Result> {
  readonly kind: 'record' | 'changed' | 'created' | 'words' | 'list';
  readonly reply: (result: Result, request: HttpRequest) => Reply | Refusal;
  /** The members of the JSON object, if they are the same in every reply. */
  readonly words?: Readonly<Record<string, string>>;
  /** The name of the JSON member that holds the list. */
  readonly listName?: string;
}

/** A record with only the data that the caller may see. */
export interface Shown {
  readonly json: string;
  /**
   * Increases with every change to the record, even to hidden data such as the password. Absent if the caller
   * is not allowed to change the record, because the version would reveal changes to hidden data.
   */
  readonly version?: number;
  /** The text from which the entity tag is computed. If `tagged` is absent, `json` is used instead. */
  readonly tagged?: string;
  readonly headers?: Headers;
}

/** A user's record includes the user's projects, so the entity tag of a user changes with the projects. */
function tagOf({ json, version = 0, tagged = json }: Shown): EntityTag {
  return toEntityTag(`${version} ${tagged}`);
}

/**
 * Returns the version that a change requires. An entity tag is computed from the version, so `If-Match`
 * matches one version. If the record does not exist, no version is required: the change fails anyway.
 *
 * @param read - Reads the record; called only for a request with preconditions.
 */
export async function expectVersion(
  request: HttpRequest, read: () => Promise<Shown | undefined>,
): Promise<ExpectedVersion> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const found = ifMatch === undefined && ifNoneMatch === undefined ? undefined : await read();
  return found === undefined ? undefined
    : evaluatePreconditions(request, tagOf(found)) !== 'proceed' ? 'unmet'
    : ifMatch === undefined || ifMatch === '*' ? undefined : found.version;
}

export function jsonReply(status: number, json: string, headers?: Headers): Reply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body: json };
}

/** A read of one record gets the status 200, or 304 if the client's copy is current (RFC 9110 §13). */
export const record: Replies<Shown> = {
  kind: 'record',
  reply(found, request) {
    const tag = tagOf(found);
    const decision = evaluatePreconditions(request, tag);
    return decision === 'precondition-failed' ? refuse('preconditionFailed')
      : decision === 'not-modified' ? { status: 304, headers: { 'ETag': tag }, body: '' }
      : jsonReply(200, found.json, { 'ETag': tag, ...found.headers });
  },
};

export const changed: Replies<Shown> = {
  kind: 'changed',
  reply: (found) => jsonReply(200, found.json, { 'ETag': tagOf(found) }),
};

/** @param path - The location of the new record. If the result has an id, the id is added to the path. */
export const created = (path: string): Replies<{ readonly json: string; readonly id?: number }> => ({
  kind: 'created',
  reply: ({ json, id }) => jsonReply(201, json, { 'Location': id === undefined ? path : `${path}/${id}` }),
});

export function words(
  value: Readonly<Record<string, string>>, headersOf?: (request: HttpRequest) => Headers,
): Replies<void> {
  const json = JSON.stringify(value);
  return { kind: 'words', words: value, reply: (_, request) => jsonReply(200, json, headersOf?.(request)) };
}

/** One page of a list, with links to the first, previous and next page (RFC 8288). */
export function list(listName: string): Replies<JsonPage> {
  return {
    kind: 'list',
    listName,
    reply: (found, request) => jsonReply(200, `{"${listName}":[${found.items}]}`, {
      'page': String(found.page.number),
      'items_per_page': String(found.page.sizeMax),
      'Count': String(found.count),
      'Total': String(found.total),
      'Total-Relation': found.isTotalExact ? 'exact' : 'at_least',
      'Link': linksOf(found, request),
    }),
  };
}

/** Each link sets `page` and `items_per_page`, and repeats all other parameters of the request. */
function linksOf({ page: { number, sizeMax }, total }: JsonPage, { path, query }: HttpRequest): string {
  const others = [...query]
    .filter(([name]) => name !== 'page' && name !== 'items_per_page')
    .flatMap(([name, values]) => values.map((value) => [name, value].map(encodeURIComponent).join('=')));
  const link = (page: number, relation: string) =>
    `<${path}?${[`page=${page}`, `items_per_page=${sizeMax}`, ...others].join('&')}>; rel="${relation}"`;
  return [
    link(1, 'first'),
    ...(number > 1 ? [link(number - 1, 'prev')] : []),
    ...(number * sizeMax < total ? [link(number + 1, 'next')] : []),
  ].join(', ');
}
