/**
 * The API document in OpenAPI 3.0.4, generated from the operations and the catalogue of problems that serve
 * requests. OpenAPI 3.0 is used because its schemas are based on draft 4, like ours. Tools that check traffic
 * against a 3.1 document misread draft 4.
 */
import type { Operation, Operations } from '../../api/operation.ts';
import { problemPath, problemTypes, slugOf, type ProblemName } from '../../api/problems.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { array, integer, object, text, wordOf, type Members } from '../../jsonschema/typed.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';
import { createComponents, type JsonObject } from './components.ts';
import { headerObject, isDescribed, type HeaderName } from './headers.ts';
import { introduction } from './introduction.ts';
import {
  exampleOf, OF_EVERY_REQUEST, problemExample, problemSchema, problemsOf, type TypeUri,
} from './problems.ts';
import { namedRecords } from './records.ts';
import { sentences } from './sentences.ts';
import { texts, UNCHANGED, type OperationText, type ResponseText } from './texts.ts';

/** The settings that the document needs in addition to the operations. */
export interface DocumentSettings {
  /** A prefix such as `/rollcall`; absent without a prefix. */
  readonly basePath?: string | undefined;
  readonly tokenLifetimeSeconds: number;
}

/** The sections of the document: an operation belongs to the first one whose prefix its path has. */
const TAGS = [
  ['Tokens', '/api/v1/token', 'Sign in with a token instead of a password.'],
  [
    'Users', '/api/v1/user',
    'Accounts, and the account of the caller. Every signed-in user may read every user with their ' +
    'projects. With `DIRECTORY=closed`, only administrators may read other users.',
  ],
  [
    'Projects', '/api/v1/projects',
    'Projects belong to users. Every signed-in user may read every project. With `DIRECTORY=closed`, only ' +
    'administrators may read projects of other users.',
  ],
  ['Programs', '/api/v1/verify', 'For programs that use the accounts of this service, and their proxies.'],
  ['Programs', '/api/v1/introspect', ''],
  ['Audit trail', '/api/v1/audit_events', 'Shows administrators who changed what.'],
  ['Service', '/', 'Probes, metrics, this document and static files.'],
] as const;

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'A username with a password, or a token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
};

/** Header fields of requests. An operation reads a field if it may refuse with the problem listed here. */
const CONDITIONS = [
  [
    'preconditionFailed', 'If-Match',
    'One or more entity tags, or `*`. If no tag is current, the response is 412.',
  ],
  [
    'preconditionFailed', 'If-None-Match',
    'An entity tag that the client has. If this tag is current, a read gets 304, and a change gets 412.',
  ],
  ['rangeNotSatisfiable', 'Range', 'The part of the file to send: one range of bytes. Others are ignored.'],
  ['rangeNotSatisfiable', 'If-Range', '`Range` is ignored unless this entity tag is current.'],
] as const;

/** The success of each kind of reply. */
const SUCCESSES: Readonly<Record<string, readonly [status: number, text: string, ...HeaderName[]]>> = {
  record: [200, 'The current state of the resource.', 'ETag'],
  changed: [200, 'The new state of the resource.', 'ETag'],
  created: [201, 'The resource was created.', 'Location'],
  words: [200, 'The change was made.'],
  list: [
    200, 'A page of the list.', 'Count', 'Total', 'Total-Relation', 'page', 'items_per_page', 'Link',
  ],
};

/** The problems of every operation that needs the database. */
const WITH_DATABASE: readonly ProblemName[] = [
  ...OF_EVERY_REQUEST, 'busy', 'databaseUnavailable', 'storageFull',
];

/** @param version - The version of the program. */
export function createDocument(
  operations: Operations, { basePath = '', tokenLifetimeSeconds }: DocumentSettings, version: string,
): JsonObject {
  const typeUri: TypeUri = (slug) => basePath + problemPath(slug);
  const { share, schema, content, collected } = createComponents(namedRecords);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const { path, method } = operation;
    (paths[path] ??= {})[method.toLowerCase()] = describeOperation(id, operation);
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'Rollcall', version, description: introduction(basePath),
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: basePath || '/', description: 'The service that this document comes from' }],
    tags: TAGS.filter(([, , text]) => text !== '').map(([name, , description]) => ({ name, description })),
    paths,
    components: { ...collected, securitySchemes: SECURITY_SCHEMES },
  };

  function describeOperation(id: string, operation: Operation): JsonObject {
    const { [id]: words = { summary: id } } = texts;
    const { body: { bytesMax, content: body } = {}, path } = operation;
    const problems = problemsOf(operation);
    return {
      'operationId': id,
      'tags': [TAGS.find(([, prefix]) => path.startsWith(prefix))?.[0]],
      'summary': words.summary,
      'description': descriptionOf(operation, words),
      ...describeAccess(operation),
      'parameters': [
        ...describeParameters('path', pathParameters(path), words),
        ...describeParameters('query', operation.query, words),
        ...CONDITIONS.filter(([problem]) => problems.has(problem)).map(([, name, description]) => (
          { in: 'header', name, description, schema: { type: 'string' } }
        )),
      ],
      ...(body && {
        requestBody: {
          description: `The body may have at most ${bytesMax} bytes.`,
          required: body.isRequired,
          content: { [body.mediaType]: describeBody(id, body.schema, words) },
        },
      }),
      'responses': {
        ...Object.fromEntries(responsesOf(operation, words).map((response) => [
          response.status, describeResponse(response),
        ])),
        ...describeProblems(problems),
      },
    };
  }

  function describeParameters(place: 'path' | 'query', parameters: Members, words: OperationText) {
    return Object.entries(parameters).map(([name, { json }]) => ({
      in: place, name, ...sentenceOf(name, words), schema: schema(json),
      ...(place === 'path' && { required: true }),
    }));
  }

  /** @returns The description of a parameter or a member, and its example. */
  function sentenceOf(name: string, { own = {} }: OperationText) {
    const [sentence, example] = [own[name] ?? sentences[name] ?? ''].flat(1);
    const description = String(sentence).replace('{lifetime}', String(tokenLifetimeSeconds));
    return { description, ...(example !== undefined && { example }) };
  }

  /** Adds the sentences about members to the schema of a body, and makes an example of theirs. */
  function describeBody(id: string, json: Schema, words: OperationText): JsonObject {
    const members = Object.entries(json.properties ?? {}).map(([name, member]) => {
      const { description, example } = sentenceOf(name, words);
      return { name, json: { ...member, description }, example };
    });
    const properties = Object.fromEntries(members.map((member) => [member.name, member.json]));
    const examples = members.filter(({ example }) => example !== undefined)
      .map(({ name, example }) => [name, example]);
    const example = words.bodyExample ?? Object.fromEntries(examples);
    return content({ json: { ...json, properties }, example }, toBodyName(id));
  }

  function describeResponse(
    { description, headers = [], content: contents }: Omit<ResponseText, 'status'>,
  ): JsonObject {
    return {
      description,
      headers: referToHeaders(headers),
      ...(contents && {
        content: Object.fromEntries(Object.entries(contents).map(([mediaType, typed]) => [
          mediaType,
          typed === 'binary' ? { schema: { type: 'string', format: 'binary' } } : content(typed),
        ])),
      }),
    };
  }

  function referToHeaders(fields: readonly HeaderName[]): JsonObject {
    return Object.fromEntries(fields.map((name) => [name, share('headers', name, () => headerObject(name))]));
  }

  /**
   * Problems of one status share one response; the `type` of a problem tells them apart. The statuses that
   * every operation may answer stand in `default`, unless the operation has its own problem with that status.
   */
  function describeProblems(problems: ReadonlySet<ProblemName>): JsonObject {
    const refer = (name: string, group: readonly ProblemName[]) =>
      share('responses', name, () => problemResponse(group));
    const own = [...Map.groupBy(problems, statusOf)]
      .filter(([, group]) => !group.every((name) => WITH_DATABASE.includes(name)));
    return {
      ...Object.fromEntries(own.map(([status, group]) => [status, refer(group.join('.'), group)])),
      default: problems.has('databaseUnavailable')
        ? refer('AnyErrorWithDatabase', WITH_DATABASE)
        : refer('AnyError', OF_EVERY_REQUEST),
    };
  }

  function problemResponse(group: readonly ProblemName[]): JsonObject {
    const slugs = [...new Set(group.map(slugOf))];
    const titles = slugs.map((slug) => problemTypes[slug].title);
    const isOfOneStatus = new Set(group.map(statusOf)).size === 1;
    const schemas = slugs.map((slug) => schema(problemSchema(slug, typeUri), `problem-${slug}`));
    const fields = group.flatMap((name) => Object.keys(exampleOf(name).headers ?? {}));
    return {
      description: isOfOneStatus
        ? `${titles.join('; or: ')}.` : 'An error that is possible for every request.',
      headers: referToHeaders(fields.filter(isDescribed)),
      content: {
        'application/problem+json': {
          schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
          examples: Object.fromEntries(group.map((name) => [
            name, { summary: problemTypes[slugOf(name)].title, value: problemExample(name, typeUri) },
          ])),
        },
        ...(group.includes('noSuchFile') && { 'text/html': { schema: { type: 'string' } } }), // for browsers
      },
    };
  }
}

/** OpenAPI 3.0 knows scopes of OAuth only, so scopes and roles are extensions. */
function describeAccess({ access, scopes }: Operation): JsonObject {
  if (access === 'public' || access === 'secret') {
    return { 'security': access === 'public' ? [] : [{ bearer: [] }], 'x-access': access };
  }
  return { 'security': [{ basic: [] }, { bearer: [] }], 'x-access': access, 'x-scopes': scopes };
}

function descriptionOf({ access, refuses }: Operation, { summary, description }: OperationText): string {
  // Restrictions that depend on the record: their details are true of every such operation. Any change may
  // be refused with `administratorOnly`, if its caller loses the role meanwhile.
  const limits = access === 'administrator' ? []
    : refuses.filter((name) => name.endsWith('Only') && name !== 'administratorOnly');
  return [description ?? `${summary}.`, ...limits.map((name) => `${exampleOf(name).detail}.`)].join(' ');
}

/** Every name in a path is text, except for the id of a token. */
function pathParameters(path: string): Members {
  return Object.fromEntries(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [
    name, name === 'token_id' ? integer({ minimum: 1 }) : text({ minLength: 1 }),
  ]));
}

/** Names the schema of a body: `createUser` has a `NewUser`, `updateUser` a `UserPatch`. */
function toBodyName(id: string): string {
  const [, verb, noun = ''] = /^(create|update)?(.+)$/.exec(id) ?? [];
  const name = verb === 'create' ? `New${noun}` : verb === 'update' ? `${noun}Patch` : `${noun}Body`;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const statusOf = (name: ProblemName) => problemTypes[slugOf(name)].status;

function responsesOf(
  { replies: { kind, words, listName } }: Operation,
  { shows = { json: {} }, headers = [], responses = [] }: OperationText,
): readonly ResponseText[] {
  const { [kind]: success } = SUCCESSES;
  if (success === undefined) {
    return responses;
  }
  const [status, description, ...usual] = success;
  const members = Object.entries(words ?? {}).map(([name, word]) => [name, wordOf([word])]);
  const content = words ? object(Object.fromEntries(members))
    : listName ? object({ [listName]: array(shows, { maxItems: ITEMS_PER_PAGE_MAX }) })
    : shows;
  return [
    { status, description, headers: [...usual, ...headers], content: { 'application/json': content } },
    ...(kind === 'record' ? [UNCHANGED] : []),
  ];
}
