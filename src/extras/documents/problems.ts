/** The problems that an operation can report. Each problem has advice, a schema and an example. */
import type { Operation } from '../../api/operation.ts';
import {
  problemPath, problemReply, problems, refuse, type ProblemName, type ProblemSlug, type Refusal,
} from '../../api/problems.ts';
import {
  array, object, text, wordOf, type Members, type Schema, type TypedSchema,
} from '../../jsonschema/schema.ts';
import { REQUEST_ID } from './records.ts';

export const OF_EVERY_REQUEST: readonly ProblemName[] = [
  'malformedRequest', 'requestTimeout', 'bodyTooLarge', 'targetTooLong', 'expectationFailed',
  'headersTooLarge', 'internalError',
];

/** @returns The problems in `refuses`, and the problems that result from other members, such as `body`. */
export function problemsOf(
  { access, acceptsAudience, isChange, method, query, body, replies, refuses }: Operation,
): ReadonlySet<ProblemName> {
  const isSignedIn = access === 'authenticated' || access === 'administrator';
  const isForProxies = refuses.includes('signInPostponed');
  const isForm = body?.content?.mediaType === 'application/x-www-form-urlencoded';
  const implied: readonly (readonly [boolean | undefined, ...ProblemName[]])[] = [
    [true, ...OF_EVERY_REQUEST],
    [Object.keys(query).length > 0, 'invalidParameter'],
    [body !== undefined, 'malformedBody', 'invalidBody', 'contentCoded',
      isForm ? 'contentNotForm' : 'contentNotJson'],
    [access !== 'public', 'unauthenticated'],
    [isSignedIn, 'scopeTooNarrow', 'databaseUnavailable'],
    [isSignedIn && !isForProxies, 'tooManyAttempts', 'busy'],
    [replies?.kind === 'list', 'busy'],
    [isSignedIn && !acceptsAudience, 'tokenForPrograms'],
    [isSignedIn && method !== 'GET', 'storageFull'],
    [isSignedIn && method === 'POST' && isChange, 'crossSite'],
    [access === 'authenticated' && isChange, 'tooManyChanges'],
    [access === 'administrator', 'administratorOnly'],
    [replies?.kind === 'record', 'preconditionFailed'],
  ];
  return new Set([...implied.flatMap(([applies, ...names]) => applies ? names : []), ...refuses]);
}

/** Examples of the problems that need facts, such as a limit. All other problems need only a name. */
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

/** All problems of a type have the same members, so one schema describes all problems of the type. */
export function problemSchema(name: ProblemName, basePath: string): Schema {
  const [slug, status, title] = problems[name];
  return object({
    type: wordOf([problemPath(slug, basePath)]),
    title: wordOf([title]),
    status: { json: { type: 'integer', enum: [status] } },
    detail: text({ description: 'A sentence for people about this occurrence of the problem.' }),
    request_id: text({ description: 'The request id, as in `X-Request-Id` and in the log.' }),
    ...schemasOf(exampleOf(name).members ?? {}),
  }, { description: problemTexts[slug] }).json;
}

/** Makes the schemas of extension members (RFC 9457 §3.2) from examples. */
function schemasOf(examples: object): Members {
  return Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, schemaOf(example)]));
}

function schemaOf(example: unknown): TypedSchema<unknown> {
  return Array.isArray(example) ? array(schemaOf(example[0]), { minItems: 1 })
    : typeof example === 'object' ? object(schemasOf({ ...example }))
    : text();
}

export const problemTypes = new Map(Object.values(problems).map(([slug, status, title]) =>
  [slug, { status, title }] as const));

/** Text in back-ticks is code. */
export const problemTexts: { readonly [slug in ProblemSlug]: string } = {
  'malformed-request':
    'The request is not valid HTTP, or it is ambiguous, for example because it has two `Host` fields.',
  'malformed-body':
    'The body is missing, is not JSON in UTF-8, or is nested deeper than 64 levels. ' +
    'Text with half of a surrogate pair, or with more than 30 combining marks in a row, is also refused.',
  'invalid-body':
    'For each mistake, `errors` has a JSON pointer (RFC 6901), the violated schema keyword, and a message.',
  'invalid-parameter':
    'A query parameter is invalid or repeated. `errors` lists every mistake. Unknown parameters are ignored.',
  'unknown-owner': 'No user has the name in `owner`. Look up the name with `GET /api/v1/users?contains=…`.',
  'unauthenticated':
    'An unknown user, a disabled user, a wrong password and an invalid token all get the same response. ' +
    'Do not repeat a wrong password, because too many failed sign-ins lead to `too-many-attempts`.',
  'forbidden':
    'The credentials are valid, but they do not allow this request. The `detail` says what is missing. ' +
    'A request from a form on another origin is refused if the browser adds credentials. ' +
    '`/api/v1/verify` accepts `read_only` tokens only if a proxy in `TRUST_PROXY` sends the method.',
  'sign-in-postponed':
    'Too many sign-ins failed, or too many password checks are queued. Tokens keep working. ' +
    '`/api/v1/verify` uses 403 for this problem, because some proxies turn 429 and 503 into 500.',
  'token-for-programs':
    'The token is valid only for programs in its `audience`. ' +
    'At this service, the token can do nothing except revoke itself. ' +
    'A proxy listed in `TRUST_PROXY` must send the host of the program in `X-Forwarded-Host`.',
  'password-needed':
    'A token is not enough, because tokens can be stolen. Send your username and password. You need ' +
    'your password to change a username, or to delete your own account. You need your password to make, ' +
    'demote, disable, enable or delete an administrator. You need your password to reset the password of ' +
    'another administrator, or to make a password link for an administrator.',
  'wrong-password':
    'Send your current password in `current_password`. A wrong password counts as a failed sign-in.',
  'not-found':
    'There is nothing at this path. Paths must match exactly, without a slash at the end. ' +
    'In a path, an integer is an id, never a name. The service hides tokens of other users.',
  'method-not-allowed': 'Use one of the methods in the response field `Allow`.',
  'request-timeout': 'Part of the request did not arrive in time. Nothing has been changed.',
  'projects-owned': 'The user can be deleted only if the request says what happens to the projects.',
  'last-administrator':
    'The last administrator cannot be demoted, disabled or deleted. Promote or enable another user first.',
  'precondition-failed':
    '`If-Match` does not list the current entity tag of the resource, or `If-None-Match` lists this tag. ' +
    'Nothing has been changed. Read the resource again, and repeat the change with the new `ETag`.',
  'body-too-large': 'The `detail` states the maximum size of the body. The service may close the connection.',
  'target-too-long': 'Shorten the path and the query. The `detail` states the limit for path plus query.',
  'unsupported-media-type':
    'The `Content-Type` is wrong, or the body has a content coding. The `detail` names the mistake. ' +
    'A request from a page of another origin must declare its body as JSON. A form cannot declare JSON.',
  'range-not-satisfiable':
    '`Range` begins after the end of the file. `Content-Range` has the size of the file.',
  'expectation-failed': 'Send the request without the field `Expect`.',
  'username-taken': 'Another user has this username. The comparison ignores case. Choose another name.',
  'project-name-taken':
    'Another project has this name. The comparison ignores case and invisible characters.',
  'too-many-projects':
    '`MAX_PROJECTS_PER_USER` limits the projects of a user. Delete projects, or choose another owner.',
  'too-many-tokens':
    '`MAX_TOKENS_PER_USER` limits the valid tokens of a user. Use one token for many requests.',
  'too-many-attempts':
    'From your IP address or IPv6 network, too many sign-ins failed, or too many requests asked for a ' +
    'taken username. After too many failed sign-ins, even the right password is refused, but tokens work. ' +
    'After too many requests for taken usernames, only registrations and username changes are refused. ' +
    'Try again when the time in `Retry-After` has passed.',
  'too-many-changes':
    '`MAX_CHANGES_PER_USER` limits how many changes a user may make in an hour. Reads have no limit. ' +
    'Even a refused change counts towards the limit. After each minute, some changes are allowed again.',
  'headers-too-large': 'Cookies of other services on the same host often make the header fields too large.',
  'internal-error':
    'Give the `request_id` to the operator, who can find the error in the log. ' +
    'Before you repeat a change, check whether the change was saved.',
  'busy':
    'Too many password checks or long reads are queued. Nothing has been changed. ' +
    'A request with a token needs no password check.',
  'database-unavailable':
    'The whole change may have been saved, unless the `detail` says that nothing has been changed. ' +
    'Before you repeat the change, check whether the change was saved.',
  'not-ready':
    'Only `/readyz` responds with this problem. Load balancers call `/readyz`. ' +
    'In `failed_checks`, the values `database` and `cluster` mean that the database does not respond. ' +
    'The value `schema` means that tables are missing or have the wrong version. ' +
    'The values `starting` and `upgrading` mean that the service opens or upgrades its database. ' +
    'The value `draining` means that the service is shutting down.',
  'storage-full':
    'The disk of the service is full. Tell the operator. Changes work again as soon as the disk has space.',
};
