/**
 * Checks responses against the OpenAPI document. The document states these rules only as prose: HEAD gets the
 * response to GET, without content. OPTIONS is a CORS preflight, unless the document lists OPTIONS for the
 * path. A method that the document does not list for a path gets 405. An unknown path gets 404.
 */
import { findDateTimeFault } from '../../src/extras/audit/audit.ts';
import { problemSchema } from '../../src/extras/documents/problems.ts';
import { createRouter, parseTarget } from '../../src/http/router.ts';
import { compileSchema, type Validate } from '../../src/jsonschema/compile.ts';
import type { Complaint, Schema } from '../../src/jsonschema/schema.ts';
import { newEmail } from '../../src/resources/rules.ts';
import type { Answer } from './http-client.ts';

export type Part = Record<string, any>;

const PREFLIGHT_HEADERS = [
  'Allow', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers', 'Access-Control-Max-Age',
] as const;

/** The document does not list these general header fields. */
const OF_HTTP = [
  'date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-type', 'vary',
  'accept-ranges', 'content-encoding', 'strict-transport-security',
  'content-security-policy', 'cross-origin-opener-policy', 'referrer-policy',
];

/** Every response has these header fields, so the document does not list the fields. */
const COMMON_HEADERS = Object.entries({
  'access-control-allow-origin': '.',
  'access-control-expose-headers': '.',
  'cache-control': '^no-(store|cache)$',
  'x-content-type-options': '^nosniff$',
  'x-request-id': '^[A-Za-z0-9._:=@+/-]{1,128}$',
}).map(([name, pattern]): [string, Part] => [name, { required: true, schema: { type: 'string', pattern } }]);

type Received = Pick<Answer, 'status' | 'headers' | 'text'>;

export type ApiDocument = ReturnType<typeof readApiDocument>;

export function readApiDocument(text: string) {
  const document = JSON.parse(text) as Part;
  const paths: Part = resolve(document['paths'], document);
  const base = String(document['servers'][0].url).replace(/\/$/, '');
  const templates = Object.keys(paths).sort((left, right) => left.indexOf('{') - right.indexOf('{'));
  const find = createRouter(templates.map((path) => (
    { method: '', path, rest: path.endsWith('/{filename}'), operations: paths[path] }
  )), base);
  const everywhere = toResponses(paths['/'].get.responses.default); // responses that every operation can give
  const doors = paths['/static/{filename}'].get.responses; // includes the responses to unknown paths
  const notAllowed = problemSchema('methodNotAllowed', base);
  const validators = new Map<Part, Validate>();

  function findResponses(method: string, target: string): Part {
    const { segments = [] } = parseTarget(target) ?? {};
    const operations = find(segments)?.routes.get('')?.operations;
    if (operations === undefined) {
      return {
        ...everywhere,
        ...(target === '*' ? { 204: toResponse([]) } : { 302: doors[302], 404: doors[404] }),
      };
    }
    const operation = operations[method.toLowerCase()] ?? (method === 'HEAD' ? operations.get : undefined);
    if (operation !== undefined) {
      const { default: usual, 200: done, ...own } = operation.responses;
      const preflight = method === 'OPTIONS' ? toResponse(PREFLIGHT_HEADERS)['headers'] : {};
      const success = done && { ...done, headers: { ...done.headers, ...preflight } };
      return { ...toResponses(usual), ...own, ...(success && { 200: success }) };
    }
    return {
      ...everywhere,
      ...(method === 'OPTIONS'
        ? { 204: toResponse(PREFLIGHT_HEADERS) }
        : { 405: toResponse(['Allow'], notAllowed) }),
    };
  }

  function findContentFaults(content: Part, method: string, { headers, text }: Received): readonly string[] {
    const [type = ''] = String(headers['content-type'] ?? '').split(';');
    if (type === '') {
      return text === '' && content['*/*'] === undefined ? [] : ['content without a type'];
    }
    const media = content[type] ?? content['*/*'];
    if (media === undefined) {
      return [`the type ${type}`];
    }
    if (method === 'HEAD') {
      return text === '' ? [] : ['content after HEAD'];
    }
    if (media['schema'].format === 'binary' || !/\bjson$/.test(type)
      || headers['content-encoding'] !== undefined) {
      return [];
    }
    const validate = validators.get(media) ?? compileClosed(media['schema']);
    validators.set(media, validate);
    return validate(JSON.parse(text)).map(({ pointer, message }) => `the content at "${pointer}" ${message}`);
  }

  return {
    paths,
    findFaults(method: string, target: string, answer: Received): readonly string[] {
      const response = findResponses(method, target)[answer.status];
      if (response === undefined) {
        return [`the status ${answer.status}`];
      }
      return [
        ...findHeaderFaults(response['headers'], answer.headers),
        ...findContentFaults(response['content'] ?? {}, method, answer),
      ];
    },
  };
}

/** Splits the response `default` into one response for each status of a problem. */
function toResponses({ headers, content: { 'application/problem+json': { schema } } }: Part): Part {
  const alternatives = schema.oneOf as readonly Part[];
  const byStatus = Map.groupBy(alternatives, ({ properties }) => properties.status.enum[0]);
  return Object.fromEntries([...byStatus].map(([status, oneOf]) => [
    status, { headers, content: { 'application/problem+json': { schema: { oneOf } } } },
  ]));
}

function findHeaderFaults(listed: Part, headers: Answer['headers']): readonly string[] {
  const own = Object.entries<Part>(listed).map(([name, header]) => [name.toLowerCase(), header] as const);
  const known = new Map([...own, ...COMMON_HEADERS]);
  const missing = [...known].filter(([name, { required }]) => required && headers[name] === undefined);
  const fields = Object.entries(headers).filter(([name]) => !OF_HTTP.includes(name));
  return [...missing.map(([name]) => `no field ${name}`), ...fields.flatMap(([name, value]) => {
    const schema = known.get(name)?.['schema'];
    const content = schema?.type === 'integer' ? Number(value) : value;
    const complaints: readonly Complaint[] | undefined = schema && compileClosed(schema)(content);
    return complaints?.map(({ message }) => `the field ${name}, which ${message}`) ?? [`the field ${name}`];
  })];
}

function toResponse(names: readonly string[], schema?: Schema): Part {
  const headers = Object.fromEntries(names.map((name) => [name, { required: true, schema: {} }]));
  return { headers, content: schema && { 'application/problem+json': { schema } } };
}

/** No reference in the document is circular. */
function resolve(part: any, document: Part): any {
  if (Array.isArray(part)) {
    return part.map((item) => resolve(item, document));
  }
  if (typeof part !== 'object' || part === null) {
    return part;
  }
  if (typeof part.$ref === 'string') {
    const names = part.$ref.slice(2).split('/');
    return resolve(names.reduce((parent: any, name: string) => parent[name], document), document);
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member, document)]));
}

/** The validator also refuses members that the schema does not list. */
export function compileClosed({ oneOf, nullable, format, properties, items, ...own }: Part): Validate {
  if (oneOf !== undefined) {
    const validators = (oneOf as readonly Part[]).map(compileClosed);
    return (value) => {
      const verdicts = validators.map((validate) => validate(value));
      const accepting = verdicts.filter(({ length }) => length === 0).length;
      const message = `matches ${accepting} alternatives`;
      return accepting === 1 ? [] : [{ pointer: '', keyword: 'oneOf', message }, ...verdicts.flat()];
    };
  }
  const validate = compileSchema({ ...own, ...(format in CHECKS && { check: CHECKS[format] }) });
  const ofItem: Validate | undefined = items && compileClosed(items);
  const ofMember = new Map(Object.entries<Part>(properties ?? {})
    .map(([name, schema]) => [name, compileClosed(schema)]));
  return (value) => {
    if (nullable === true && value === null) {
      return [];
    }
    const isClosed = Array.isArray(value) ? items !== undefined : properties !== undefined;
    const parts = isClosed && typeof value === 'object' ? Object.entries(value ?? {}) : [];
    return [...validate(value), ...parts.flatMap(([name, part]) => {
      const complaints = (ofMember.get(name) ?? ofItem ?? refuse)(part);
      return complaints.map((complaint) => ({ ...complaint, pointer: `/${name}${complaint.pointer}` }));
    })];
  };
}

/** The validator ignores the keyword `format`. These functions of the service check the formats. */
const CHECKS: Part = { 'date-time': findDateTimeFault, 'email': newEmail.json.check };

const refuse: Validate = () => [{ pointer: '', keyword: 'properties', message: 'is not allowed' }];
