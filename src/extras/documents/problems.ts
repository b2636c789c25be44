/** The problems that an operation may report, and the schema and an example of each problem. */
import type { Operation } from '../../api/operation.ts';
import {
  problemPath, problems, problemTypes, slugOf, type ProblemName, type ProblemSlug,
} from '../../api/problems.ts';
import { problemReply, refuse, type FactsOf, type Refusal } from '../../api/refusal.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { array, object, text, wordOf, type TypedSchema } from '../../jsonschema/typed.ts';
import { mapValues } from './components.ts';
import { problemTexts } from './problem-texts.ts';

export const OF_EVERY_REQUEST: readonly ProblemName[] = [
  'malformedRequest', 'requestTimeout', 'bodyTooLarge', 'targetTooLong', 'expectationFailed',
  'headersTooLarge', 'internalError',
];

/** @returns The problems that an operation lists, or that its access, body and parameters imply. */
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
    [replies.kind === 'record', 'preconditionFailed'],
  ];
  return new Set([...implied.flatMap(([applies, ...names]) => applies ? names : []), ...refuses]);
}

const FACTS: {
  readonly [Name in ProblemName as FactsOf<Name> extends readonly [] ? never : Name]: FactsOf<Name>;
} = {
  malformedRequest: ['the target is not a path in percent-encoded UTF-8'],
  malformedBody: ['it is not well-formed JSON'],
  invalidBody: [[{ pointer: '/email', keyword: 'format', message: 'must be an email address' }]],
  invalidParameter: [[{ parameter: 'items_per_page', keyword: 'minimum', message: 'must be at least 1' }]],
  scopeTooNarrow: ['read_only'],
  signInPostponed: [240],
  methodNotAllowed: [['GET', 'POST', 'HEAD', 'OPTIONS']],
  bodyTooLarge: [8_192],
  targetTooLong: [12_288],
  rangeNotSatisfiable: [2_048],
  tooManyAttempts: [240],
  tooManyChanges: [1],
  busy: [6],
  databaseUnavailable: [false],
  notReady: [['database']],
};

export function exampleOf(name: ProblemName): Refusal {
  const facts: { readonly [Each in ProblemName]?: readonly unknown[] } = FACTS;
  const describe: (name: ProblemName, ...facts: never) => Refusal = refuse;
  return describe(name, ...((facts[name] ?? []) as never)); // the type of `FACTS` pairs names and facts
}

export function problemExample(name: ProblemName, basePath: string): Record<string, unknown> {
  const requestId = '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52';
  return JSON.parse(String(problemReply(exampleOf(name), requestId, basePath).body));
}

export function problemSchema(slug: ProblemSlug, basePath: string): Schema {
  const { status, title } = problemTypes[slug];
  const names = Object.keys(problems) as ProblemName[]; // `Object.keys` has the type `string[]`
  const name = names.find((each) => slugOf(each) === slug) ?? 'internalError';
  return object({
    type: wordOf([problemPath(slug, basePath)]),
    title: wordOf([title]),
    status: { json: { type: 'integer', enum: [status] } },
    detail: text({ description: 'A sentence for people about this occurrence of the problem.' }),
    request_id: text({ description: 'The request id, as in `X-Request-Id` and in the log.' }),
    ...mapValues(exampleOf(name).members ?? {}, schemaOf),
  }, { description: problemTexts[slug] }).json;
}

/** Derives, from an example, the schema of a member that RFC 9457 does not define. */
function schemaOf(example: unknown): TypedSchema<unknown> {
  if (Array.isArray(example)) {
    return array(schemaOf(example[0]), { minItems: 1 });
  }
  return typeof example === 'object' ? object(mapValues({ ...example }, schemaOf)) : text();
}
