/** The catalogue of problems: every error response of the service (RFC 9457). */

/** The types of problems by their slugs. A slug is the anchor of the type on the page of problems. */
export const problemTypes = {
  'malformed-request': { status: 400, title: 'Malformed request' },
  'malformed-body': { status: 400, title: 'The body is not well-formed JSON' },
  'invalid-body': { status: 400, title: 'The body has invalid values' },
  'invalid-parameter': { status: 400, title: 'A query parameter has an invalid value' },
  'unknown-owner': { status: 400, title: 'Unknown owner' },
  'unauthenticated': { status: 401, title: 'Sign-in required' },
  'forbidden': { status: 403, title: 'You are signed in but not allowed to do this' },
  'token-for-programs': { status: 403, title: 'The token is valid only for certain programs' },
  'sign-in-postponed': { status: 403, title: 'Sign-ins with a password are paused' },
  'password-needed': { status: 403, title: 'A password is required' },
  'wrong-password': { status: 403, title: 'The current password is wrong' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'projects-owned': { status: 409, title: 'The user still owns projects' },
  'last-administrator': { status: 409, title: "You can't remove the last administrator" },
  'precondition-failed': { status: 412, title: 'The resource has changed since you read it' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'target-too-long': { status: 414, title: 'The URL is too long' },
  'unsupported-media-type': { status: 415, title: 'The body has the wrong media type' },
  'range-not-satisfiable': { status: 416, title: 'The range is outside the file' },
  'expectation-failed': { status: 417, title: 'Unsupported value of "Expect"' },
  'username-taken': { status: 422, title: 'Username in use' },
  'project-name-taken': { status: 422, title: 'Project name in use' },
  'too-many-projects': { status: 422, title: 'The user owns too many projects' },
  'too-many-tokens': { status: 422, title: 'The user has too many tokens' },
  'too-many-attempts': { status: 429, title: 'Too many failed attempts' },
  'too-many-changes': { status: 429, title: 'Too many changes' },
  'headers-too-large': { status: 431, title: 'The header fields are too many or too large' },
  'internal-error': { status: 500, title: 'Something failed inside the service' },
  'busy': { status: 503, title: 'The service is busy' },
  'database-unavailable': { status: 503, title: 'The database did not respond' },
  'not-ready': { status: 503, title: 'The service is not ready' },
  'storage-full': { status: 507, title: 'The disk is full' },
} as const;

export type ProblemSlug = keyof typeof problemTypes;

/** A mistake in a query parameter, or in a part of the body, which a JSON pointer (RFC 6901) names. */
export interface ProblemPart {
  readonly pointer?: string;
  readonly parameter?: string;
  /** The schema keyword that was violated. */
  readonly keyword: string;
  readonly message: string;
}

export interface Occurrence {
  /** A sentence that reveals no secret. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that RFC 9457 does not define. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export type Problem = readonly [ProblemSlug, string | ((...facts: never) => string | Occurrence)];

/** By default, clients are asked to retry after 5 seconds: by then, a cluster has elected a new leader. */
const retryLater = (detail: string, seconds = 5): Occurrence =>
  ({ detail, headers: { 'Retry-After': String(seconds) } });

export const problems = {
  malformedRequest: ['malformed-request', (reason: string) => `Cannot read the request: ${reason}`],
  malformedBody: ['malformed-body', (reason: string) => `Cannot read the body: ${reason}`],
  invalidBody: ['invalid-body', (parts: readonly ProblemPart[]) => {
    const [{ pointer = '', message } = { message: 'is invalid' }] = parts;
    const place = pointer === '' ? 'The body' : `"${pointer.slice(1)}"`;
    const more = parts.length > 1 ? '; see errors for all mistakes' : '';
    return { detail: `${place} ${message}${more}`, members: { errors: parts } };
  }],
  invalidParameter: ['invalid-parameter', (parts: readonly ProblemPart[]) => {
    const faults = parts.map(({ parameter, message }) => `"${parameter}" ${message}`);
    return { detail: `Invalid query parameters: ${faults.join('; ')}`, members: { errors: parts } };
  }],
  unknownOwner: ['unknown-owner', 'No user has the name that is given as the owner'],

  unauthenticated: ['unauthenticated', () => ({
    detail: 'Missing or invalid credentials: send a username and password, or a token',
    // RFC 7617 §2, RFC 6750 §3
    headers: { 'WWW-Authenticate': 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"' },
  })],

  scopeTooNarrow: ['forbidden',
    (scope: string) => `A token of the scope "${scope}" does not allow this request`],
  administratorOnly: ['forbidden', 'Only an administrator may send this request'],
  projectOwnerOnly: ['forbidden', 'Only the owner of the project or an administrator may send this request'],
  ownAccountOnly: ['forbidden',
    'Only the owner of an account or an administrator may change or delete the account'],
  rightsByAdministratorOnly: ['forbidden', 'Only an administrator may change "is_admin" or "disabled"'],
  invitedByAdministratorOnly: ['forbidden', 'Only an administrator may list invited users'],
  ownTokensOnly: ['forbidden', "Only an administrator may see or revoke another user's tokens"],
  ownProjectsOnly: ['forbidden', 'Only an administrator may create a project for another user'],
  transferByAdministratorOnly: ['forbidden', 'Only an administrator may transfer projects to another user'],
  crossSite: ['forbidden',
    'With Basic credentials, a page of another origin must send application/json, by fetch in the mode cors'],
  forwardedCrossSite: ['forbidden',
    'A page of another origin may send a change with a bearer token, but not with Basic credentials'],
  tokenForPrograms: ['token-for-programs',
    'This token is valid only for certain programs; at this service, it can only revoke itself'],
  tokenForOtherProgram: ['token-for-programs',
    'The token is not valid for the host that the proxy named, or the proxy is not trusted'],
  signInPostponed: ['sign-in-postponed', (seconds: number) =>
    retryLater(`Passwords cannot be checked now: try again in ${seconds} seconds`, seconds)],
  passwordNeeded: ['password-needed', 'Sign in with the username and password, not with a token'],
  wrongPassword: ['wrong-password', '"current_password" is not your current password'],

  noSuchRoute: ['not-found', 'No route matches this path'],
  noSuchUser: ['not-found', 'No such user'],
  noSuchProject: ['not-found', 'No such project'],
  noSuchToken: ['not-found', 'No such token'],
  noSuchFile: ['not-found', () => ({ detail: 'No such file', headers: { 'Vary': 'Accept' } })],

  methodNotAllowed: ['method-not-allowed', (methods: readonly string[]) =>
    ({ detail: `This path supports only ${methods.join(', ')}`, headers: { 'Allow': methods.join(', ') } })],
  requestTimeout: ['request-timeout', 'The whole request did not arrive in time'],
  projectsOwned: ['projects-owned',
    'Add the query parameter owned_projects=delete, or owned_projects=transfer with new_owner=<username>'],
  lastAdministrator: ['last-administrator', 'This user is the last administrator who can sign in'],
  preconditionFailed: ['precondition-failed',
    'The current entity tag does not satisfy If-Match or If-None-Match'],
  bodyTooLarge: ['body-too-large', (bytesMax: number) => `The body may have at most ${bytesMax} bytes`],
  targetTooLong: ['target-too-long', (bytesMax: number) =>
    `The path and the query may have at most ${bytesMax} bytes together`],
  contentCoded: ['unsupported-media-type', 'Send the body without compression or any other content coding'],
  contentNotJson: ['unsupported-media-type', 'Declare the body as application/json'],
  contentNotForm: ['unsupported-media-type', 'Send a form as application/x-www-form-urlencoded'],
  rangeNotSatisfiable: ['range-not-satisfiable', (sizeBytes: number) =>
    ({ detail: `The file has ${sizeBytes} bytes`, headers: { 'Content-Range': `bytes */${sizeBytes}` } })],
  expectationFailed: ['expectation-failed', 'Only the expectation "100-continue" is supported'],
  usernameTaken: ['username-taken', 'Another user has this name'],
  projectNameTaken: ['project-name-taken', 'Another project has this name'],
  tooManyProjects: ['too-many-projects', 'The owner already has as many projects as one user may own'],
  tooManyTokens: ['too-many-tokens', 'Revoke a token, or wait until a token expires'],

  tooManyAttempts: ['too-many-attempts', (seconds: number) =>
    retryLater(`Too many failed attempts from this address: try again in ${seconds} seconds`, seconds)],
  tooManyChanges: ['too-many-changes', (seconds: number) =>
    retryLater(`You have made too many changes within an hour: try again in ${seconds} seconds`, seconds)],
  headersTooLarge: ['headers-too-large', 'Send fewer or shorter header fields'],
  internalError: ['internal-error', 'The error is in the log, under the request_id of this response'],
  busy: ['busy', (seconds: number) =>
    retryLater('Too many requests of this kind are queued: try again shortly', seconds)],
  databaseUnavailable: ['database-unavailable', (isRead: boolean) => retryLater(
    isRead ? 'The database did not respond in time'
      : 'The database did not confirm the change: check whether the change was saved',
  )],
  databaseLocked: ['database-unavailable', () =>
    retryLater('Another program has locked the database; nothing has been changed')],
  notReady: ['not-ready', (failedChecks: readonly string[]) => ({
    detail: 'This instance is not ready: send requests to another instance',
    members: { failed_checks: failedChecks },
  })],
  storageFull: ['storage-full', 'The disk has no space for this change; stored data can still be read'],
} as const satisfies Readonly<Record<string, Problem>>;

export type ProblemName = keyof typeof problems;

export const slugOf = (name: ProblemName): ProblemSlug => problems[name][0];

export const problemPath = (slug: ProblemSlug, basePath: string) =>
  `${basePath}/static/problems.html#${slug}`;
