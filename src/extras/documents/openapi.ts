/**
 * Generates the API document from the definitions of operations and problems. The service uses the same
 * definitions to answer requests. The schemas use JSON Schema draft 4. Tools for OpenAPI 3.1 misread this
 * draft, so the document uses OpenAPI 3.0.
 */
import type { Operation, Operations } from '../../api/operation.ts';
import { ITEMS_PER_PAGE_MAX } from '../../api/parameters.ts';
import { problems, type ProblemName } from '../../api/problems.ts';
import type { Replies } from '../../api/replies.ts';
import { array, object, wordOf, type Schema } from '../../jsonschema/schema.ts';
import { exampleOf, OF_EVERY_REQUEST, problemExample, problemSchema, problemsOf } from './problems.ts';
import { auditEvent, project, tokenRecord, user, userSummary } from './records.ts';
import {
  headerTexts, introduction, OPTIONAL_HEADERS, sentences, texts, UNCHANGED,
  type HeaderName, type HeaderText, type OperationText, type ResponseText,
} from './texts.ts';

/** `JSON.stringify` leaves out members that are `undefined`. */
type JsonObject = Readonly<Record<string, unknown>>;

export interface DocumentSettings {
  readonly basePath?: string | undefined;
  readonly tokenLifetimeSeconds: number;
}

/** Each operation belongs to the first section whose pattern matches the path of the operation. */
const TAGS = [
  ['Tokens', /^\/api\/v1\/token/, 'Sign in with a token instead of a password.'],
  ['Users', /^\/api\/v1\/user/, 'Accounts, and the account of the caller.'],
  ['Projects', /^\/api\/v1\/project/, 'Projects belong to users.'],
  ['Programs', /^\/api\/v1\/(verify|introspect)/, 'Other programs can accept accounts of this service.'],
  ['Audit trail', /^\/api\/v1\/audit/, 'A list of all changes, only for administrators.'],
  ['Service', /^\//, 'Probes, metrics, this document and static files.'],
] as const;

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'A username with a password, or with a token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
};

const SIGNED_IN = [{ basic: [] }, { bearer: [] }];
const OPTIONAL = [{}, ...SIGNED_IN];

/**
 * OpenAPI 3.0 describes scopes only for OAuth, and does not describe roles. So the member `x-access` holds
 * the role, and the member `x-scopes` holds the scopes.
 */
const SECURITY = {
  public: [], secret: [{ bearer: [] }], authenticated: SIGNED_IN, administrator: SIGNED_IN,
};

const NAME: Schema = { type: 'string', minLength: 1 };
const ID: Schema = { type: 'integer', minimum: 1 };

/**
 * Each entry begins with a problem and a header field. An operation that can report the problem also reads
 * the header field.
 */
const CONDITIONS = [
  ['preconditionFailed', 'If-Match', 'Entity tags, or `*`. If all tags are outdated, the response is 412.'],
  ['preconditionFailed', 'If-None-Match',
    'Entity tags, or `*`. If one of the tags is current, a GET gets 304, and a change gets 412.'],
  ['rangeNotSatisfiable', 'Range', 'One range of bytes of the file. Other values of `Range` are ignored.'],
  ['rangeNotSatisfiable', 'If-Range', '`Range` is ignored if the entity tag in `If-Range` is outdated.'],
] as const;

const SUCCESSES: Readonly<Record<Replies<never>['kind'], ResponseText>> = {
  record: [200, 'The current state of the resource.', ['ETag']],
  changed: [200, 'The new state of the resource.', ['ETag']],
  created: [201, 'The resource was created.', ['Location']],
  words: [200, 'The request succeeded.'],
  list: [200, 'A page of the list.', ['Count', 'Total', 'Total-Relation', 'page', 'items_per_page', 'Link']],
};

const RECORD_NAMES = new Map([
  [userSummary.json, 'UserSummary'], [project.json, 'Project'], [user.json, 'User'],
  [tokenRecord.json, 'TokenRecord'], [auditEvent.json, 'AuditEvent'],
]);

const WITH_DATABASE: readonly ProblemName[] = [
  ...OF_EVERY_REQUEST, 'busy', 'databaseUnavailable', 'storageFull',
];

export function createDocument(
  operations: Operations, { basePath = '', tokenLifetimeSeconds }: DocumentSettings, version: string,
): JsonObject {
  const components: Record<string, Record<string, JsonObject>> = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(id, operation);
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'Rollcall', version, description: introduction(basePath),
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: basePath || '/', description: 'The service that sent this document' }],
    tags: TAGS.map(([name, , description]) => ({ name, description })),
    paths,
    components: { ...components, securitySchemes: SECURITY_SCHEMES },
  };

  function describeOperation(id: string, operation: Operation): JsonObject {
    const { [id]: words = { description: '' } } = texts; // tests find missing texts
    const { body: { bytesMax, content: body } = {}, path, query, access, scopes } = operation;
    const problems = problemsOf(operation);
    const describeParameter = (place: 'path' | 'query', name: string, json: Schema) => (
      { in: place, name, required: place === 'path', ...sentenceOf(name, json, words), schema: schema(json) }
    );
    return {
      'operationId': id,
      'tags': [TAGS.find(([, pattern]) => pattern.test(path))?.[0]],
      'summary': summaryOf(id),
      'description': descriptionOf(operation, words.description),
      'security': access === 'public' && problems.has('unauthenticated') ? OPTIONAL : SECURITY[access],
      'x-access': access,
      'x-scopes': SECURITY[access] === SIGNED_IN ? scopes : undefined,
      'parameters': [
        ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => (
          describeParameter('path', name, name === 'token_id' ? ID : NAME)
        )),
        ...Object.entries(query).map(([name, { json }]) => describeParameter('query', name, json)),
        ...CONDITIONS.filter(([problem]) => problems.has(problem)).map(([, name, description]) => (
          { in: 'header', name, description, schema: { type: 'string' } }
        )),
      ],
      'requestBody': body && {
        description: `The body may have at most ${bytesMax} bytes.`,
        required: body.isRequired,
        content: { [body.mediaType]: describeBody(id, body.schema, words) },
      },
      'responses': {
        ...Object.fromEntries(responsesOf(operation, words).map(describeResponse)),
        ...describeProblems(problems),
      },
    };
  }

  /** @param name - The name of a parameter, or of a member of a body. */
  function sentenceOf(name: string, { enum: values }: Schema, { own = {} }: OperationText) {
    const [sentence, example = values?.[0]] = [own[name] ?? sentences[name] ?? ''].flat(1);
    return { description: String(sentence).replace('{lifetime}', String(tokenLifetimeSeconds)), example };
  }

  function describeBody(id: string, { properties = {}, ...json }: Schema, words: OperationText): JsonObject {
    const members = mapValues(properties, (member, name) => (
      { ...member, description: member.description ?? sentenceOf(name, member, words).description }
    ));
    return content({ ...json, properties: members, example: words.bodyExample }, bodyNameOf(id));
  }

  function describeResponse([status, description, headers = [], media]: ResponseText) {
    const contents = media && mapValues(media, ({ json }) => content(json));
    return [status, { description, headers: referToHeaders(headers), content: contents }] as const;
  }

  function referToHeaders(names: readonly HeaderName[]): JsonObject {
    return Object.fromEntries(names.map((name) => [name, share('headers', name, () => {
      const [description, keywords]: HeaderText = headerTexts[name];
      const required = !OPTIONAL_HEADERS.includes(name);
      return { description, required, schema: { type: 'string', ...keywords } };
    })]));
  }

  /**
   * For each status, one response describes all problems with this status. The problems of every operation
   * are in the response `default`. A status without further problems has no response of its own.
   */
  function describeProblems(names: ReadonlySet<ProblemName>): JsonObject {
    const usual = names.has('databaseUnavailable') ? WITH_DATABASE : OF_EVERY_REQUEST;
    const own = [...Map.groupBy(names, (name) => problems[name][1])]
      .filter(([, group]) => !group.every((name) => usual.includes(name)));
    return {
      ...Object.fromEntries(own.map(([status, group]) => [status, describeGroup(group.join('.'), group)])),
      default: describeGroup(usual === WITH_DATABASE ? 'AnyErrorWithDatabase' : 'AnyError', usual),
    };
  }

  function describeGroup(groupName: string, group: readonly ProblemName[]): JsonObject {
    return share('responses', groupName, () => {
      const titleOf = (name: ProblemName) => problems[name][2];
      const types = new Map(group.map((name) => (
        [titleOf(name), schema(problemSchema(name, basePath), `problem-${problems[name][0]}`)]
      )));
      const fields = group.flatMap((name) => Object.keys(exampleOf(name).headers ?? {}));
      return {
        description: `${[...types.keys()].join('; or: ')}.`,
        // The document does not describe some header fields, such as `Vary`.
        headers: referToHeaders(fields.filter((name): name is HeaderName => name in headerTexts)),
        content: {
          'application/problem+json': {
            schema: types.size === 1 ? [...types.values()][0] : { oneOf: [...types.values()] },
            examples: Object.fromEntries(group.map((name) => [
              name, { summary: titleOf(name), value: problemExample(name, basePath) },
            ])),
          },
          // If a file is missing, browsers get an HTML page instead of JSON.
          ...(group.includes('noSuchFile') && { 'text/html': { schema: { type: 'string' } } }),
        },
      };
    });
  }

  /** Returns a reference to a part of the document. Adds a missing part. */
  function share(
    section: 'schemas' | 'headers' | 'responses', name: string, create: () => JsonObject,
  ): JsonObject {
    (components[section] ??= {})[name] ??= create();
    return { $ref: `#/components/${section}/${name}` };
  }

  function schema(part: Schema, name = RECORD_NAMES.get(part)): JsonObject {
    return name === undefined ? toOpenApi(part) : share('schemas', name, () => toOpenApi(part));
  }

  /**
   * In OpenAPI 3.0, patterns use the syntax of ECMAScript 5, which has no `\p`. A pattern with `\p` is left
   * out. The `title` of the schema describes the pattern.
   */
  function toOpenApi({ pattern, example, properties, items, ...others }: Schema): JsonObject {
    return {
      ...others,
      pattern: pattern?.includes('\\p{') ? undefined : pattern,
      items: items && schema(items),
      properties: properties && mapValues(properties, (member) => schema(member)),
    };
  }

  function content(json: Schema, name?: string): JsonObject {
    const value = exampleValue(json);
    return { schema: schema(json, name), examples: value && { example: { summary: 'Example', value } } };
  }
}

/** Turns an id into words, such as `readApiDescription` into "Read API description". */
function summaryOf(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^.|\bapi\b/g, (letters) => letters.toUpperCase());
}

function descriptionOf({ access, refuses }: Operation, description: string): string {
  // Problems such as `ownTokensOnly` say who is allowed to use a record. The problem `administratorOnly` is
  // left out: callers get this problem only if they stop being administrators during the request.
  const limits = access === 'administrator' ? []
    : refuses.filter((name) => name.endsWith('Only') && name !== 'administratorOnly');
  return [description, ...limits.map((name) => `${exampleOf(name).detail}.`)].join(' ');
}

/** Names the schema of a body, such as `NewUser` for `createUser` and `UserPatch` for `updateUser`. */
function bodyNameOf(id: string): string {
  const name = id.replace(/^create/, 'New').replace(/^update(.+)$/, '$1Patch');
  return name !== id ? name : `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`;
}

function responsesOf(
  { replies }: Operation,
  { shows = { json: {} }, headers = [], responses = [] }: OperationText,
): readonly ResponseText[] {
  if (replies === undefined) {
    return responses;
  }
  const { kind, words, listName } = replies;
  const { [kind]: [status, description, usual = []] } = SUCCESSES;
  const content = words ? object(mapValues(words, (word) => wordOf([word])))
    : listName ? object({ [listName]: array(shows, { maxItems: ITEMS_PER_PAGE_MAX }) })
    : shows;
  return [
    [status, description, [...usual, ...headers], { 'application/json': content }],
    ...(kind === 'record' ? [UNCHANGED] : []),
  ];
}

/** The example of an object consists of the examples of its members. */
function exampleValue({ example, enum: words, items, properties }: Schema): unknown {
  return example !== undefined ? example
    : words !== undefined ? words[0]
    : items !== undefined ? [exampleValue(items)].filter((item) => item !== undefined)
    : properties && mapValues(properties, exampleValue);
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>, map: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}
