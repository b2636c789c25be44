/**
 * Every error response of the service (RFC 9457). A refusal is a value that names a problem of the catalogue
 * below. Functions return refusals, but never throw them.
 */
import type { SignIn } from '../auth/password-check.ts';
import type { Reply } from '../http/message.ts';
import type { Complaint } from '../jsonschema/schema.ts';
import type { Outcome } from '../stores/guards.ts';

export type ParameterFault = Omit<Complaint, 'pointer'> & { readonly parameter: string };

interface Occurrence {
  /** Describes the problem in a sentence that reveals no secret. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that RFC 9457 does not define. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A problem has a slug, a status, a title and a detail. The detail can contain facts, such as a limit. */
type Problem = readonly [
  slug: string, status: number, title: string, detail: string | ((...facts: never) => string | Occurrence),
];

type FactsOf<Name extends ProblemName> =
  (typeof problems)[Name][3] extends (...facts: infer Facts) => unknown ? Facts : [];

export interface Refusal<Name extends ProblemName = ProblemName> extends Occurrence {
  readonly refused: Name;
}

export function refuse<Name extends ProblemName>(name: Name, ...facts: FactsOf<Name>): Refusal<Name> {
  const [, , , describe]: Problem = problems[name];
  // The cast is safe, because the type `FactsOf` requires exactly the arguments of `describe`.
  const described = typeof describe === 'string' ? describe : describe(...(facts as never));
  return { refused: name, ...(typeof described === 'string' ? { detail: described } : described) };
}

export function isRefusal<Value>(value: Value): value is Extract<Value, Refusal> {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/** The names of problems with a constant detail. A store can refuse a change only with such a problem. */
type Reason = { [Name in ProblemName]: FactsOf<Name> extends readonly [] ? Name : never }[ProblemName];

/** Any outcome of a store, a queue or a sign-in. */
type AnyOutcome = Outcome<Reason> | SignIn<unknown>;

type ResultOf<One> = One extends { readonly result: infer Result } ? Result
  : One extends { readonly reason: infer Name extends ProblemName } ? Refusal<Name>
  : One extends { readonly kind: 'rejected' } ? undefined
  : Refusal<One extends { readonly kind: 'busy' } ? 'busy' : 'tooManyAttempts'>;

/** @returns The result of a success; `undefined` for a `rejected` sign-in; otherwise, a refusal. */
export function resultOf<One extends AnyOutcome>(outcome: One): ResultOf<One>;
export function resultOf(outcome: AnyOutcome): unknown {
  return 'result' in outcome ? outcome.result
    : outcome.kind === 'rejected' ? undefined
    : outcome.kind === 'refused' ? refuse(outcome.reason)
    : refuse(outcome.kind === 'busy' ? 'busy' : 'tooManyAttempts', outcome.retryAfterSeconds);
}

export function problemReply(
  { refused, detail, headers, members }: Refusal, requestId: string, basePath: string,
): Reply {
  const [slug, status, title] = problems[refused];
  const type = problemPath(slug, basePath);
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ type, title, status, detail, request_id: requestId, ...members }),
  };
}

/** @param slug - The short name of the problem, also used as its anchor on the page `problems.html`. */
export const problemPath = (slug: ProblemSlug, basePath: string) =>
  `${basePath}/static/problems.html#${slug}`;

/** Tells clients to wait, by default for 5 seconds, because a cluster elects a new leader in this time. */
const retryLater = (detail: string, seconds = 5): Occurrence =>
  ({ detail, headers: { 'Retry-After': String(seconds) } });

const FORBIDDEN = ['forbidden', 403, 'You are signed in but not allowed to do this'] as const;
const FOR_PROGRAMS = ['token-for-programs', 403, 'The token is valid only for certain programs'] as const;
const NOT_FOUND = ['not-found', 404, 'Not found'] as const;
const MEDIA_TYPE = ['unsupported-media-type', 415, 'The body has the wrong media type'] as const;
const DATABASE = ['database-unavailable', 503, 'The database did not respond'] as const;

export const problems = {
  malformedRequest: ['malformed-request', 400, 'Malformed request',
    (reason: string) => `Cannot read the request: ${reason}`],
  malformedBody: ['malformed-body', 400, 'The body is not well-formed JSON',
    (reason: string) => `Cannot read the body: ${reason}`],
  invalidBody: ['invalid-body', 400, 'The body has invalid values', (parts: readonly Complaint[]) => {
    const [{ pointer, message } = { pointer: '', message: 'is invalid' }] = parts;
    const place = pointer === '' ? 'The body' : `"${pointer.slice(1)}"`;
    const more = parts.length > 1 ? '; see errors for all mistakes' : '';
    return { detail: `${place} ${message}${more}`, members: { errors: parts } };
  }],
  invalidParameter: ['invalid-parameter', 400, 'A query parameter has an invalid value', (
    parts: readonly ParameterFault[],
  ) => {
    const faults = parts.map(({ parameter, message }) => `"${parameter}" ${message}`);
    return { detail: `Invalid query parameters: ${faults.join('; ')}`, members: { errors: parts } };
  }],
  unknownOwner: ['unknown-owner', 400, 'Unknown owner', 'The request names an owner who does not exist'],

  unauthenticated: ['unauthenticated', 401, 'Sign-in required', () => ({
    detail: 'Missing or invalid credentials: send a username and password, or a token',
    // RFC 7617 §2, RFC 6750 §3
    headers: { 'WWW-Authenticate': 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"' },
  })],

  scopeTooNarrow: [...FORBIDDEN,
    (scope: string) => `A token of the scope "${scope}" does not allow this request`],
  administratorOnly: [...FORBIDDEN, 'Only an administrator may send this request'],
  projectOwnerOnly: [...FORBIDDEN, 'Only administrators and the owner of the project may send this request'],
  ownAccountOnly: [...FORBIDDEN,
    'Only administrators and the owner may change or delete an account'],
  rightsByAdministratorOnly: [...FORBIDDEN, 'Only an administrator may change "is_admin" or "disabled"'],
  invitedByAdministratorOnly: [...FORBIDDEN, 'Only an administrator may list invited users'],
  ownTokensOnly: [...FORBIDDEN, "Only an administrator may see or revoke another user's tokens"],
  ownProjectsOnly: [...FORBIDDEN, 'Only an administrator may create a project for another user'],
  transferByAdministratorOnly: [...FORBIDDEN, 'Only an administrator may transfer projects to another user'],
  crossSite: [...FORBIDDEN,
    'With Basic credentials, a page of another origin must use fetch in mode cors and send application/json'],
  forwardedCrossSite: [...FORBIDDEN,
    'A page of another origin may send a change with a bearer token, but not with Basic credentials'],
  tokenForPrograms: [...FOR_PROGRAMS,
    'This token is valid only for certain programs; at this service, it can do nothing except revoke itself'],
  tokenForOtherProgram: [...FOR_PROGRAMS,
    'The token is not valid for the host that the proxy named, or the proxy is not trusted'],
  signInPostponed: ['sign-in-postponed', 403, 'Sign-ins with a password are paused', (seconds: number) =>
    retryLater(`Passwords cannot be checked now: try again in ${seconds} seconds`, seconds)],
  passwordNeeded: ['password-needed', 403, 'A password is required',
    'Sign in with the username and password, not with a token'],
  wrongPassword: ['wrong-password', 403, 'The current password is wrong',
    '"current_password" is not your current password'],

  noSuchRoute: [...NOT_FOUND, 'No route matches this path'],
  noSuchUser: [...NOT_FOUND, 'No such user'],
  noSuchProject: [...NOT_FOUND, 'No such project'],
  noSuchToken: [...NOT_FOUND, 'No such token'],
  noSuchFile: [...NOT_FOUND, () => ({ detail: 'No such file', headers: { 'Vary': 'Accept' } })],

  methodNotAllowed: ['method-not-allowed', 405, 'Method not allowed', (methods: readonly string[]) =>
    ({ detail: `This path supports only ${methods.join(', ')}`, headers: { 'Allow': methods.join(', ') } })],
  requestTimeout: ['request-timeout', 408, 'The request took too long to arrive',
    'Part of the request did not arrive in time'],
  projectsOwned: ['projects-owned', 409, 'The user still owns projects',
    'Add the query parameter owned_projects=delete, or, as an administrator, owned_projects=transfer and ' +
    'new_owner=<username>'],
  lastAdministrator: ['last-administrator', 409, "You can't remove the last administrator",
    'This user is the last administrator who can sign in'],
  preconditionFailed: ['precondition-failed', 412, 'The resource has changed since you read it',
    'The current entity tag does not satisfy If-Match or If-None-Match'],
  bodyTooLarge: ['body-too-large', 413, 'The body is too large',
    (bytesMax: number) => `The body may have at most ${bytesMax} bytes`],
  targetTooLong: ['target-too-long', 414, 'The URL is too long', (bytesMax: number) =>
    `The path and the query may have at most ${bytesMax} bytes together`],
  contentCoded: [...MEDIA_TYPE, 'Send the body without compression or any other content coding'],
  contentNotJson: [...MEDIA_TYPE, 'Declare the body as application/json'],
  contentNotForm: [...MEDIA_TYPE, 'Send a form as application/x-www-form-urlencoded'],
  rangeNotSatisfiable: ['range-not-satisfiable', 416, 'The range is outside the file', (sizeBytes: number) =>
    ({ detail: `The file has ${sizeBytes} bytes`, headers: { 'Content-Range': `bytes */${sizeBytes}` } })],
  expectationFailed: ['expectation-failed', 417, 'Unsupported value of "Expect"',
    'Only the expectation "100-continue" is supported'],
  usernameTaken: ['username-taken', 422, 'Username in use', 'Another user has this name'],
  projectNameTaken: ['project-name-taken', 422, 'Project name in use', 'Another project has this name'],
  tooManyProjects: ['too-many-projects', 422, 'The user owns too many projects',
    'The owner already has the maximum number of projects'],
  tooManyTokens: ['too-many-tokens', 422, 'The user has too many tokens',
    'Revoke a token, or wait until a token expires'],

  tooManyAttempts: ['too-many-attempts', 429, 'Too many failed attempts', (seconds: number) =>
    retryLater(`Too many failed attempts from this address: try again in ${seconds} seconds`, seconds)],
  tooManyChanges: ['too-many-changes', 429, 'Too many changes', (seconds: number) =>
    retryLater(`You have made too many changes within an hour: try again in ${seconds} seconds`, seconds)],
  headersTooLarge: ['headers-too-large', 431, 'The header fields are too many or too large',
    'Send fewer or shorter header fields'],
  internalError: ['internal-error', 500, 'Something failed inside the service',
    'The error is in the log, under the request_id of this response'],
  busy: ['busy', 503, 'The service is busy', (seconds: number) =>
    retryLater('Too many requests of this kind are queued: try again shortly', seconds)],
  databaseUnavailable: [...DATABASE, (isRead: boolean) => retryLater(
    isRead ? 'The database did not respond in time'
      : 'The database did not confirm the change: check whether the change was saved',
  )],
  databaseLocked: [...DATABASE, () =>
    retryLater('Another program has locked the database; nothing has been changed')],
  notReady: ['not-ready', 503, 'The service is not ready', (failedChecks: readonly string[]) => ({
    detail: 'This instance is not ready: send requests to another instance',
    members: { failed_checks: failedChecks },
  })],
  storageFull: ['storage-full', 507, 'The disk is full',
    'The disk has no space for this change; stored data can still be read'],
} as const satisfies Readonly<Record<string, Problem>>;

export type ProblemName = keyof typeof problems;

export type ProblemSlug = (typeof problems)[ProblemName][0];
