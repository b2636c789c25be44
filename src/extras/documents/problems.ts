/** The problems that an operation may report, and the schema and an example of each problem. */
import type { Operation } from '../../api/operation.ts';
import {
  problemPath, problemReply, problems, refuse, type ProblemName, type Refusal,
} from '../../api/problems.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { array, object, text, wordOf, type TypedSchema } from '../../jsonschema/typed.ts';
import { mapValues } from './components.ts';
import { problemTexts } from './problem-texts.ts';
import { REQUEST_ID } from './records.ts';

export const OF_EVERY_REQUEST: readonly ProblemName[] = [
  'malformedRequest', 'requestTimeout', 'bodyTooLarge', 'targetTooLong', 'expectationFailed',
  'headersTooLarge', 'internalError',
];

/** @returns The problems in `refuses`, and implied problems. For example, a body implies `invalidBody`. */
export function problemsOf(
  { access, acceptsAudience, isChange, mayTakeLong, method, query, body, replies, refuses }: Operation,
): ReadonlySet<ProblemName> {
  const isSignedIn = access === 'authenticated' || access === 'administrator';
  const isForProxies = refuses.includes('signInPostponed');
  const isForm = body?.content?.mediaType === 'application/x-www-form-urlencoded';
  const implied: readonly (readonly [boolean | undefined, ...ProblemName[]])[] = [
    [true, ...OF_EVERY_REQUEST],
    [Object.keys(query).length > 0, 'invalidParameter'],
    [body !== undefined, 'malformedBody', 'invalidBody', 'contentCoded',
      isForm ? 'contentNotForm' : 'contentNotJson'],
    [access === 'secret', 'unauthenticated'],
    [isSignedIn, 'unauthenticated', 'databaseUnavailable'],
    [isForProxies, 'signInPostponed'],
    [isSignedIn && !isForProxies, 'tooManyAttempts', 'busy'],
    [mayTakeLong, 'busy'],
    [isSignedIn, 'scopeTooNarrow'],
    [isSignedIn && !acceptsAudience, 'tokenForPrograms'],
    [isSignedIn && method !== 'GET', 'storageFull'],
    [isSignedIn && method === 'POST' && isChange, 'crossSite'],
    [access === 'authenticated' && isChange, 'tooManyChanges'],
    [access === 'administrator', 'administratorOnly'],
    [replies.kind === 'record', 'preconditionFailed'],
  ];
  return new Set([...implied.flatMap(([applies, ...names]) => applies ? names : []), ...refuses]);
}

/** Examples of problems whose detail contains a value, such as a limit. */
const EXAMPLES: readonly Refusal[] = [
  refuse('malformedRequest', 'the target is not a path in percent-encoded UTF-8'),
  refuse('malformedBody', 'it is not well-formed JSON'),
  refuse('invalidBody', [{ pointer: '/email', keyword: 'format', message: 'must be an email address' }]),
  refuse('invalidParameter', [
    { parameter: 'items_per_page', keyword: 'minimum', message: 'must be at least 1' },
  ]),
  refuse('scopeTooNarrow', 'read_only'),
  refuse('signInPostponed', 240),
  refuse('methodNotAllowed', ['GET', 'POST', 'HEAD', 'OPTIONS']),
  refuse('bodyTooLarge', 8_192),
  refuse('targetTooLong', 12_288),
  refuse('rangeNotSatisfiable', 2_048),
  refuse('tooManyAttempts', 240),
  refuse('tooManyChanges', 1),
  refuse('busy', 6),
  refuse('databaseUnavailable', false),
  refuse('notReady', ['database']),
];

export const exampleOf = (name: ProblemName): Refusal =>
  EXAMPLES.find(({ refused }) => refused === name) ?? refuse(name);

export const problemExample = (name: ProblemName, basePath: string): unknown =>
  JSON.parse(String(problemReply(exampleOf(name), REQUEST_ID, basePath).body));

/** @param name - One of the problems of the type. All problems of a type have the same members. */
export function problemSchema(name: ProblemName, basePath: string): Schema {
  const [slug, status, title] = problems[name];
  return object({
    type: wordOf([problemPath(slug, basePath)]),
    title: wordOf([title]),
    status: { json: { type: 'integer', enum: [status] } },
    detail: text({ description: 'A sentence for people about this occurrence of the problem.' }),
    request_id: text({ description: 'The request id, as in `X-Request-Id` and in the log.' }),
    ...mapValues(exampleOf(name).members ?? {}, schemaOf),
  }, { description: problemTexts[slug] }).json;
}

/** Makes the schema of an extension member (RFC 9457 §3.2) from an example. */
function schemaOf(example: unknown): TypedSchema<unknown> {
  return Array.isArray(example) ? array(schemaOf(example[0]), { minItems: 1 })
    : typeof example === 'object' ? object(mapValues({ ...example }, schemaOf))
    : text();
}
