/**
 * The kinds of responses that operations share. Each function turns the result of a handler into a reply, and
 * describes this reply for the API document.
 */
import { evaluatePreconditions, toEntityTag, type EntityTag } from '../http/conditional.ts';
import { jsonReply, jsonTextReply, type HttpRequest, type Reply } from '../http/message.ts';
import { array, object, oneOf, type TypedSchema } from '../jsonschema/typed.ts';
import { ITEMS_PER_PAGE_MAX, type JsonPage, type PageRequest } from '../model/page.ts';
import { refuse, type ProblemName, type Refusal } from './problems.ts';

/** One response in the API document. */
export interface Response {
  readonly status: number;
  readonly description: string;
  /** The names of its header fields, besides those of every response. */
  readonly headers?: readonly string[];
  /** Examples of fields whose value depends on the operation, without `BASE_PATH`. */
  readonly headerExamples?: Readonly<Record<string, string>>;
  /** The content by media type, the most specific type first; absent without content. */
  readonly content?: Readonly<Record<string, Content>>;
}

interface Content {
  /** `binary` is bytes of any kind. */
  readonly schema: TypedSchema<unknown> | 'binary';
  readonly example?: unknown;
}

export interface Answers<Result> {
  readonly responses: readonly Response[];
  readonly reply: (result: Result, request: HttpRequest) => Reply | Refusal;
  /** Problems that this kind of response implies. */
  readonly refuses?: readonly ProblemName[];
  /** The operation evaluates `If-Match` and `If-None-Match`. */
  readonly isConditional?: true;
}

/** A record as JSON text, with the tag of its state. */
export interface Tagged {
  readonly json: string;
  readonly tag: EntityTag;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Makes the tag of a record. The tag changes with every byte that is shown, including embedded records such
 * as the projects of a user.
 *
 * @param version - Counts every change, also of data that is not shown, such as the password. Pass it only
 *   for callers who may change the record: others must not learn of such changes.
 */
export function tagged({ json, version = 0 }: { readonly json: string; readonly version?: number }): Tagged {
  return { json, tag: toEntityTag(`${version} ${json}`) };
}

/** Answers 200 with the same JSON value for every request. */
export function constant<const Value extends Readonly<Record<string, string>>>(
  description: string, value: Value, headers: Readonly<Record<string, string>> = {},
): Answers<void> {
  const members = Object.entries(value).map(([name, word]) => [name, oneOf([word])]);
  const reply = jsonReply(200, value, headers);
  const schema = object(Object.fromEntries(members));
  return {
    responses: [{
      status: 200, description, headers: Object.keys(headers), content: { 'application/json': { schema } },
    }],
    reply: () => reply,
  };
}

/**
 * Answers a single read: 200 with an entity tag, or 304 to a client that has the same state (RFC 9110 §13).
 */
export function read(
  schema: TypedSchema<unknown>, description: string, headerExamples: Response['headerExamples'] = {},
): Answers<Tagged> {
  return {
    isConditional: true,
    refuses: ['preconditionFailed'],
    responses: [
      {
        status: 200, description, headers: ['ETag'], headerExamples,
        content: { 'application/json': { schema } },
      },
      { status: 304, description: 'The client already has this state; no content.', headers: ['ETag'] },
    ],
    reply({ json, tag, headers }, request) {
      switch (evaluatePreconditions(request, tag)) {
        case 'proceed':
          return jsonTextReply(200, json, { 'ETag': tag, ...headers });
        case 'not-modified':
          return { status: 304, headers: { 'ETag': tag }, body: '' };
        case 'precondition-failed':
          return refuse('preconditionFailed');
      }
    },
  };
}

/** Answers a change with the new state of the record. */
export function changed(schema: TypedSchema<unknown>, description: string): Answers<Tagged> {
  return {
    isConditional: true,
    refuses: ['preconditionFailed'],
    responses: [{ status: 200, description, headers: ['ETag'], content: { 'application/json': { schema } } }],
    reply: ({ json, tag }) => jsonTextReply(200, json, { 'ETag': tag }),
  };
}

/** Answers a deletion, or a change without a representation. */
export function done<const Value extends Readonly<Record<string, string>>>(
  description: string,
  value: Value,
): Answers<void> {
  return { ...constant(description, value), isConditional: true, refuses: ['preconditionFailed'] };
}

/** Answers 201 with JSON text and the path of the new resource. */
export function created(
  schema: TypedSchema<unknown>, description: string, locationExample: string,
): Answers<{ readonly json: string; readonly location: string }> {
  return {
    responses: [{
      status: 201,
      description,
      headerExamples: { 'Location': locationExample },
      content: { 'application/json': { schema } },
    }],
    reply: ({ json, location }) => jsonTextReply(201, json, { 'Location': location }),
  };
}

interface PageResult {
  readonly page: PageRequest;
  readonly found: JsonPage;
}

/**
 * Answers one page of a list, with header fields that give its position and link to other pages (RFC 8288).
 */
export function list(member: string, item: TypedSchema<unknown>, path: string): Answers<PageResult> {
  const linkExample =
    `<${path}?page=1&items_per_page=1>; rel="first", <${path}?page=2&items_per_page=1>; rel="next"`;
  return {
    responses: [{
      status: 200,
      description: 'A page of the list.',
      headers: ['Count', 'Total', 'Total-Relation', 'page', 'items_per_page'],
      headerExamples: { 'Link': linkExample },
      content: {
        'application/json': { schema: object({ [member]: array(item, { maxItems: ITEMS_PER_PAGE_MAX }) }) },
      },
    }],
    reply({ page, found: { items, count, hasNext, total } }, request) {
      return jsonTextReply(200, `{"${member}":[${items}]}`, {
        'page': String(page.number),
        'items_per_page': String(page.sizeMax),
        'Count': String(count),
        'Total': String(total.count),
        'Total-Relation': total.relation,
        'Link': linksOf(page, hasNext, request),
      });
    },
  };
}

/** Links to the first, previous and next page, which keep the other parameters of the request. */
function linksOf(page: PageRequest, hasNext: boolean, { path, query }: HttpRequest): string {
  const others = [...query]
    .filter(([name]) => name !== 'page' && name !== 'items_per_page')
    .flatMap(
      ([name, values]) => values.map((value) => `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    )
    .join('');
  const link = (number: number, relation: string) =>
    `<${path}?page=${number}&items_per_page=${page.sizeMax}${others}>; rel="${relation}"`;
  return [
    link(1, 'first'),
    ...(page.number > 1 ? [link(page.number - 1, 'prev')] : []),
    ...(hasNext ? [link(page.number + 1, 'next')] : []),
  ].join(', ');
}
