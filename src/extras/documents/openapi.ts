/**
 * The API document in OpenAPI 3.0.4, generated at start-up from the operations and the catalogue of problems
 * that serve requests. OpenAPI 3.0 is used because its schemas are based on draft 4, like ours. Tools that
 * check traffic against a 3.1 document misread draft 4.
 */
import type { BodyRule } from '../../api/body.ts';
import type { Operation, Operations } from '../../api/operation.ts';
import type { Parameter } from '../../api/parameters.ts';
import { problemTypes, type ProblemSlug } from '../../api/problem-types.ts';
import { problemPath, slugOf, type ProblemName } from '../../api/problems.ts';
import { commonHeaders } from '../../http/cross-origin.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { text, type TypedSchema } from '../../jsonschema/typed.ts';
import { createComponents, type Components, type JsonObject } from './components.ts';
import { fieldNames, headerName, headerObject, PAGE_HEADERS } from './headers.ts';
import { introduction } from './introduction.ts';
import { exampleOf } from './problem-examples.ts';
import { problemExample, problemSchema } from './problem-schema.ts';
import {
  auditEvent, listedToken, listedUser, project, tokenRecord, user, userSummary,
} from './records.ts';
import { responsesOf } from './responses.ts';
import type { OperationText, ResponseText, Sentences, Tag, TextSettings } from './text.ts';
import { otherTexts } from './texts/others.ts';
import { projectTexts } from './texts/projects.ts';
import { tokenTexts } from './texts/tokens.ts';
import { userTexts } from './texts/users.ts';

const OF_EVERY_REQUEST: readonly ProblemName[] = [
  'malformedRequest', 'requestTimeout', 'bodyTooLarge', 'targetTooLong', 'expectationFailed',
  'headersTooLarge', 'internalError',
];
/** Also the problems of every operation that needs the database. */
const USUAL: readonly ProblemName[] = [...OF_EVERY_REQUEST, 'busy', 'databaseUnavailable', 'storageFull'];

/** The settings that the document needs in addition to the operations. */
export interface DocumentSettings extends TextSettings {
  /** A prefix such as `/rollcall`; absent without a prefix. */
  readonly basePath?: string | undefined;
  /** Present when the service speaks TLS itself. */
  readonly tlsCertFile?: string | undefined;
}

/** The sections of the document, in the order in which a reader needs them. */
const TAGS: Readonly<Record<Tag, string>> = {
  'Tokens': 'Sign in with a token instead of a password.',
  'Users': 'Accounts, and who is calling.',
  'Projects': 'What users own.',
  'Programs': 'For programs that use these accounts, and for proxies in front of them.',
  'Audit trail': 'Who changed what, for administrators.',
  'Service': 'Probes, metrics, this document and static files.',
};

const NAMED_SCHEMAS = {
  UserSummary: userSummary,
  Project: project,
  ListedUser: listedUser,
  User: user,
  TokenRecord: tokenRecord,
  ListedToken: listedToken,
  AuditEvent: auditEvent,
};

const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'Username and password in UTF-8; or a token as the username and an empty password, ' +
      'with or without the colon.',
  },
  bearer: {
    type: 'http', scheme: 'bearer', description: 'A token, as `POST /api/v1/token` issues it.',
  },
};
const SIGNED_IN = [{ basic: [] }, { bearer: [] }];

const ENTITY_TAG = '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"';

/** Header fields of requests by name. */
const requestHeaders = {
  'X-Request-Id': text({
    description:
      'An id for this request, set by a proxy in `TRUST_PROXY`: 1 to 128 of the characters `A-Z a-z 0-9 . ' +
      '_ : = @ + / -`. It is logged and returned. Any other id is replaced.',
    example: '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  }),
  'If-Match': text({
    description:
      'The entity tag of the expected state, several of them, or `*`. In any other ' +
      'state the response is 412.',
    example: ENTITY_TAG,
  }),
  'If-None-Match': text({
    description:
      'The entity tag of the state that the client has. If it is current, a read is 304 and a change 412.',
    example: ENTITY_TAG,
  }),
  'Range': text({
    description: 'The part to send, in bytes; one range. Anything else is ignored.', example: 'bytes=0-14',
  }),
  'If-Range': text({
    description: 'Use `Range` only if this entity tag is current, else send the whole file.',
    example: ENTITY_TAG,
  }),
  'Accept-Encoding': text({
    description: 'The accepted content codings: `gzip` is available.', example: 'br, gzip',
  }),
};

type RequestHeader = keyof typeof requestHeaders;

interface Context {
  readonly components: Components;
  readonly commonHeaders: readonly string[];
  readonly typeUri: (slug: ProblemSlug) => string;
  readonly basePath: string;
}

/** @param version - The version of the program. */
export function createDocument(
  operations: Operations,
  settings: DocumentSettings,
  version: string,
): JsonObject {
  const basePath = settings.basePath ?? '';
  const isSecure = settings.tlsCertFile !== undefined;
  const named = Object.entries(NAMED_SCHEMAS).map(([name, { json }]): [string, Schema] => [name, json]);
  const context: Context = {
    components: createComponents(named),
    commonHeaders: [...Object.keys(commonHeaders({ origin: '*', exposed: [], isSecure })), 'X-Request-Id'],
    typeUri: (slug) => basePath + problemPath(slug),
    basePath,
  };
  const texts: Readonly<Record<string, OperationText>> = {
    ...tokenTexts(settings), ...userTexts(settings), ...projectTexts, ...otherTexts,
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const sentences = texts[id];
    if (sentences === undefined) {
      throw new Error(`The operation "${id}" has no description`);
    }
    const item = (paths[operation.path] ??= {
      parameters: headerParameters(['X-Request-Id'], context),
    });
    item[operation.method.toLowerCase()] = describeOperation(id, operation, sentences, context);
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'Rollcall',
      version,
      description: introduction(context.typeUri),
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: basePath || '/', description: 'The service that this document comes from' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { ...context.components.collect(), securitySchemes: SECURITY_SCHEMES },
  };
}

/** @returns The Operation Object. */
function describeOperation(
  id: string, operation: Operation, sentences: OperationText, context: Context,
): JsonObject {
  const { body } = operation;
  const { tag, summary, description, path = {}, query = {} } = sentences;
  const names = problemsOf(operation);
  const parameters = [
    ...Object.entries(operation.parameters).map(
      ([name, parameter]) => parameterObject('path', name, parameter, path[name], context),
    ),
    ...Object.entries(operation.query).map(
      ([name, parameter]) => parameterObject('query', name, parameter, query[name], context),
    ),
    ...headerParameters(conditionalFields(names), context),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body?.content !== undefined && sentences.body !== undefined && {
      requestBody: bodyObject(body.bytesMax, body.content, sentences.body, context),
    }),
    responses: {
      ...Object.fromEntries(responsesOf(operation, sentences).map((response) => [
        String(response.status), responseObject(response, context),
      ])),
      ...problemResponses(names, context),
    },
  };
}

function securityOf({ access }: Operation): readonly object[] {
  if (access === 'public') {
    return [];
  }
  return access === 'secret' ? [{ bearer: [] }] : SIGNED_IN;
}

function conditionalFields(names: ReadonlySet<ProblemName>): readonly RequestHeader[] {
  if (!names.has('preconditionFailed')) {
    return [];
  }
  const isFile = names.has('rangeNotSatisfiable');
  return [
    'If-Match', 'If-None-Match', ...(isFile ? (['Range', 'If-Range', 'Accept-Encoding'] as const) : []),
  ];
}

/** Adds the sentences about members to the schema of a body. */
function bodyObject(
  bytesMax: number, { mediaType, schema, isRequired }: NonNullable<BodyRule<unknown>['content']>,
  { name, members, example }: NonNullable<OperationText['body']>, context: Context,
): JsonObject {
  const properties = Object.entries(schema.properties ?? {}).map(([member, json]) => {
    const { description } = members[member] ?? {};
    return [member, description === undefined ? json : { ...json, description }] as const;
  });
  const examples = Object.entries(members).map(([member, sentences]) => [member, sentences.example] as const)
    .filter(([, value]) => value !== undefined);
  const described = {
    json: { ...schema, properties: Object.fromEntries(properties) },
    example: example ?? Object.fromEntries(examples),
  };
  return {
    description: `At most ${bytesMax} bytes.`,
    required: isRequired,
    content: { [mediaType]: contentObject(described, context, name) },
  };
}

function headerParameters(names: readonly RequestHeader[], { components }: Context): readonly JsonObject[] {
  return names.map((name) => {
    const { json: { description, ...schema }, example } = requestHeaders[name];
    return components.share('parameters', name, { in: 'header', name, description, schema, example });
  });
}

function parameterObject(
  place: 'path' | 'query', name: string, { json }: Parameter<unknown>,
  { description, example }: Sentences = {}, { components }: Context,
) {
  return {
    in: place,
    name,
    description,
    ...(place === 'path' && { required: true }),
    schema: components.schema(json),
    ...(example !== undefined && { example }),
  };
}

function responseObject(
  { description, headers = [], headerExamples = {}, content }: ResponseText,
  context: Context,
): JsonObject {
  const { components, commonHeaders, basePath } = context;
  const ownHeaders = Object.entries(headerExamples).map(([name, example]) => {
    const ownExample = example.replaceAll(/\/(?=(api|static)\/)/g, `${basePath}/`);
    return [name, { ...headerObject(headerName(name)), example: ownExample }];
  });
  const contents = Object.entries(content ?? {}).map(([mediaType, { schema, example }]) => {
    return [mediaType, schema === 'binary'
      ? { schema: { type: 'string', format: 'binary' } }
      : contentObject(example === undefined ? schema : { ...schema, example }, context)];
  });
  return {
    description,
    headers: {
      ...components.headers(fieldNames([...commonHeaders, ...headers])), ...Object.fromEntries(ownHeaders),
    },
    ...(contents.length > 0 && { content: Object.fromEntries(contents) }),
  };
}

function contentObject(
  { json, example }: TypedSchema<unknown>,
  { components }: Context,
  name?: string,
): JsonObject {
  return {
    schema: name === undefined ? components.schema(json) : components.name(name, json),
    ...(example !== undefined && { examples: { example: { summary: 'Example', value: example } } }),
  };
}

/**
 * @returns The problems that an operation may answer: the listed ones, and those that its other members
 *   imply.
 */
export function problemsOf(
  { access, acceptsAudience, isChange, mayTakeLong, method, query, body, replies, refuses }: Operation,
): ReadonlySet<ProblemName> {
  const isSignedIn = access === 'authenticated' || access === 'administrator';
  const isForProxies = refuses.includes('signInPostponed');
  const isForm = body?.content?.mediaType === 'application/x-www-form-urlencoded';
  const implied: readonly (readonly [boolean, ...ProblemName[]])[] = [
    [true, ...OF_EVERY_REQUEST],
    [Object.keys(query).length > 0, 'invalidParameter'],
    [body !== undefined, 'malformedBody', 'invalidBody', 'contentCoded',
      isForm ? 'contentNotForm' : 'contentNotJson'],
    [access === 'secret', 'unauthenticated'],
    [isSignedIn, 'unauthenticated', 'databaseUnavailable'],
    [isForProxies, 'signInPostponed'],
    [isSignedIn && !isForProxies, 'tooManyAttempts', 'busy'],
    [mayTakeLong === true, 'busy'],
    [isSignedIn, 'scopeTooNarrow'],
    [isSignedIn && acceptsAudience !== true, 'tokenForPrograms'],
    [isSignedIn && method !== 'GET', 'storageFull'],
    [isSignedIn && method === 'POST' && isChange, 'crossSite'],
    [access === 'authenticated' && isChange, 'tooManyChanges'],
    [access === 'administrator', 'administratorOnly'],
  ];
  return new Set([
    ...implied.flatMap(([applies, ...names]) => applies ? names : []), ...(replies.refuses ?? []), ...refuses,
  ]);
}

/**
 * Problems of one status share one response; the `type` of a problem tells them apart. The statuses that
 * every operation may answer stand in `default`, unless the operation has its own problem with that status.
 */
function problemResponses(names: ReadonlySet<ProblemName>, context: Context): JsonObject {
  const isUsual = (name: ProblemName) => USUAL.includes(name);
  const byStatus = Map.groupBy(names, (name) => problemTypes[slugOf(name)].status);
  const own = [...byStatus].filter(([, group]) => !group.every(isUsual));
  const responses = own.map(([status, group]) => [String(status), problemResponse(group, context)]);
  const usual = names.has('databaseUnavailable') ? USUAL : OF_EVERY_REQUEST;
  return { ...Object.fromEntries(responses.toSorted()), default: problemResponse(usual, context) };
}

function problemResponse(
  names: readonly ProblemName[],
  { components, commonHeaders, typeUri }: Context,
): JsonObject {
  const slugs = [...new Set(names.map((name) => slugOf(name)))];
  const schemas = slugs.map((slug) => components.name(`problem-${slug}`, problemSchema(slug, typeUri)));
  const fields = new Set(names.flatMap((name) => Object.keys(exampleOf(name).headers ?? {})));
  const isPage = names.includes('noSuchFile'); // for browsers
  const examples = names.map((name) => {
    const { title } = problemTypes[slugOf(name)];
    return [name, { summary: title, value: problemExample(name, typeUri) }];
  });
  const statuses = new Set(slugs.map((slug) => problemTypes[slug].status));
  const response = {
    description: statuses.size > 1
      ? 'An error that is possible for every request.'
      : `${slugs.map((slug) => problemTypes[slug].title).join('; or: ')}.`,
    headers: components.headers(fieldNames([
      ...commonHeaders, ...fields, ...(isPage ? PAGE_HEADERS : []),
    ])),
    content: {
      'application/problem+json': {
        schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: Object.fromEntries(examples),
      },
      ...(isPage && { 'text/html': { schema: { type: 'string' } } }),
    },
  };
  return components.share('responses', names.join('.'), response);
}
