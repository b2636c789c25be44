/**
 * The API document in OpenAPI 3.0.4, generated at start-up from the operations and the catalogue of problems
 * that serve requests. OpenAPI 3.0 is used because its schemas are based on draft 4, like ours. Tools that
 * check traffic against a 3.1 document misread draft 4.
 */
import type { Response } from '../../api/answers.ts';
import type { Operation, Operations, Tag } from '../../api/operation.ts';
import type { Parameter } from '../../api/parameters.ts';
import { problemTypes, type ProblemSlug } from '../../api/problem-types.ts';
import { exampleOf, problemPath, problems, type ProblemName } from '../../api/problems.ts';
import { commonHeaders } from '../../http/common-headers.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { text, type TypedSchema } from '../../jsonschema/typed.ts';
import { project } from '../../resources/projects.ts';
import { tokenRecord, userSummary } from '../../resources/schemas.ts';
import { PAGE_HEADERS } from '../../resources/static.ts';
import { listedUser, user } from '../../resources/users.ts';
import { auditEvent } from '../audit/audit.ts';
import { listedToken } from '../tokens/tokens.ts';
import { createComponents, type Components, type JsonObject } from './components.ts';
import { fieldNames, headerName, headerObject } from './headers.ts';
import { introduction } from './introduction.ts';
import { problemExample, problemSchema } from './problem-schema.ts';

/** The settings that the document needs in addition to the operations. */
export interface DocumentSettings {
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
  const named = Object.entries(NAMED_SCHEMAS).map(([name, { json }]): [string, Schema] => [name, json]);
  const context: Context = {
    components: createComponents(named),
    commonHeaders: [
      ...Object.keys(commonHeaders('*', settings.tlsCertFile !== undefined)), 'X-Request-Id',
    ],
    typeUri: (slug) => basePath + problemPath(slug),
    basePath,
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const item = (paths[operation.path] ??= {
      parameters: headerParameters(['X-Request-Id'], context),
    });
    item[operation.method.toLowerCase()] = describeOperation(id, operation, context);
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
function describeOperation(id: string, operation: Operation, context: Context): JsonObject {
  const { tag, summary, description, body, answers } = operation;
  const parameters = [
    ...Object.entries(operation.pathParameters).map(
      ([name, parameter]) => parameterObject('path', name, parameter, context),
    ),
    ...Object.entries(operation.queryParameters).map(
      ([name, parameter]) => parameterObject('query', name, parameter, context),
    ),
    ...headerParameters(conditionalFields(operation), context),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body?.rule.name !== undefined && {
      requestBody: {
        description: `At most ${body.rule.bytesMax} bytes.`,
        required: body.rule.presence === 'required',
        content: {
          [body.rule.format === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']:
            contentObject(body.rule.schema, context, body.rule.name),
        },
      },
    }),
    responses: {
      ...Object.fromEntries(answers.responses.map((response) => [
        String(response.status), responseObject(response, context),
      ])),
      ...problemResponses(problemsOf(operation), context),
    },
  };
}

function securityOf({ access }: Operation): readonly object[] {
  if (access === 'public') {
    return [];
  }
  return typeof access === 'object' ? [{ bearer: [] }] : SIGNED_IN;
}

function conditionalFields({ answers }: Operation): readonly RequestHeader[] {
  if (answers.isConditional === undefined) {
    return [];
  }
  const isFile = answers.refuses?.includes('rangeNotSatisfiable') ?? false;
  return [
    'If-Match', 'If-None-Match', ...(isFile ? (['Range', 'If-Range', 'Accept-Encoding'] as const) : []),
  ];
}

function headerParameters(names: readonly RequestHeader[], { components }: Context): readonly JsonObject[] {
  return names.map((name) => {
    const { json: { description, ...schema }, example } = requestHeaders[name];
    return components.share('parameters', name, { in: 'header', name, description, schema, example });
  });
}

function parameterObject(
  place: 'path' | 'query',
  name: string,
  { json, example }: Parameter<unknown>,
  { components }: Context,
) {
  const { description, ...schema } = json;
  return {
    in: place,
    name,
    description,
    ...(place === 'path' && { required: true }),
    schema: components.schema(schema),
    ...(example !== undefined && { example }),
  };
}

function responseObject(
  { description, headers = [], headerExamples = {}, content }: Response,
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
  {
    access, isForProxies, isRead, endsAccess, mayTakeLong, method, queryParameters, body, answers, refuses,
  }: Operation,
): ReadonlySet<ProblemName> {
  const isSignedIn = access === 'authenticated' || access === 'administrator';
  return new Set<ProblemName>([
    'malformedRequest', 'requestTimeout', 'bodyTooLarge', 'targetTooLong', 'expectationFailed',
    'headersTooLarge', 'internalError',
    ...(Object.keys(queryParameters).length > 0 ? (['invalidParameter'] as const) : []),
    ...(body === undefined
      ? []
      : (['malformedBody', 'invalidBody', 'contentCoded'] as const)),
    ...(body === undefined
      ? []
      : [body.rule.format === 'form' ? ('contentNotForm' as const) : ('contentNotJson' as const)]),
    ...(typeof access === 'object' ? (['unauthenticated'] as const) : []),
    ...(isSignedIn ? (['unauthenticated', 'databaseUnavailable'] as const) : []),
    ...(isSignedIn && isForProxies ? (['signInPostponed'] as const) : []),
    ...(isSignedIn && !isForProxies ? (['tooManyAttempts', 'busy'] as const) : []),
    ...(mayTakeLong ? (['busy'] as const) : []),
    ...(isSignedIn ? (['scopeTooNarrow'] as const) : []),
    ...(isSignedIn && method !== 'GET' ? (['storageFull'] as const) : []),
    ...(isSignedIn && method === 'POST' && !isRead ? (['crossSite'] as const) : []),
    ...(access === 'authenticated' && !isRead && !endsAccess ? (['tooManyChanges'] as const) : []),
    ...(access === 'administrator' ? (['administratorOnly'] as const) : []),
    ...(answers.refuses ?? []),
    ...refuses,
  ]);
}

/** Problems of one status share one response; the `type` of a problem tells them apart. */
function problemResponses(names: ReadonlySet<ProblemName>, context: Context): JsonObject {
  const byStatus = Map.groupBy(names, (name) => problemTypes[problems[name].slug].status);
  const responses = [...byStatus].map(([status, group]) => [String(status), problemResponse(group, context)]);
  return Object.fromEntries(responses.toSorted());
}

function problemResponse(
  names: readonly ProblemName[],
  { components, commonHeaders, typeUri }: Context,
): JsonObject {
  const slugs = [...new Set(names.map((name) => problems[name].slug))];
  const schemas = slugs.map((slug) => components.name(`problem-${slug}`, problemSchema(slug, typeUri)));
  const fields = new Set(names.flatMap((name) => Object.keys(exampleOf(name).headers ?? {})));
  const isPage = names.includes('noSuchFile'); // for browsers
  const examples = names.map((name) => {
    const { title } = problemTypes[problems[name].slug];
    return [name, { summary: title, value: problemExample(name, typeUri) }];
  });
  const response = {
    description: `${slugs.map((slug) => problemTypes[slug].title).join('; or: ')}.`,
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
