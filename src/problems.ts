/**
 * The catalogue of problems: every error that the service answers. The `type` of a problem is the page that explains it,
 * with the text of `problem-explanations.ts`.
 */
import { HttpProblem, type ProblemPart, type ProblemType } from './http/problem.ts';

/** @returns The path of its page. */
export function toProblemPath({ slug }: ProblemType): string {
  return `/static/problems/${slug}.html`;
}

/** RFC 7617 §2 and RFC 6750 §3: what a client can sign in with. */
const CHALLENGES = 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"';

/** When to come again after the database gave no answer; a cluster needs a few seconds to agree on a new leader. */
const DATABASE_RETRY_AFTER_SECONDS = 5;

export const problemTypes = {
  malformedRequest: { slug: 'malformed-request', status: 400, title: 'The request is malformed' },
  malformedBody: { slug: 'malformed-body', status: 400, title: 'The body is not well-formed JSON' },
  invalidBody: { slug: 'invalid-body', status: 400, title: 'The body does not have the expected form' },
  invalidParameter: { slug: 'invalid-parameter', status: 400, title: 'A query parameter is invalid' },
  unknownOwner: { slug: 'unknown-owner', status: 400, title: 'The owner is not known' },
  unauthenticated: { slug: 'unauthenticated', status: 401, title: 'Valid credentials are needed' },
  forbidden: { slug: 'forbidden', status: 403, title: 'The caller may not do this' },
  passwordNeeded: { slug: 'password-needed', status: 403, title: 'The password is needed' },
  wrongPassword: { slug: 'wrong-password', status: 403, title: 'The current password is wrong' },
  notFound: { slug: 'not-found', status: 404, title: 'There is nothing here' },
  methodNotAllowed: { slug: 'method-not-allowed', status: 405, title: 'The resource does not have this method' },
  requestTimeout: { slug: 'request-timeout', status: 408, title: 'The request took too long to arrive' },
  projectsOwned: { slug: 'projects-owned', status: 409, title: 'The user still owns projects' },
  lastAdministrator: { slug: 'last-administrator', status: 409, title: 'The last administrator must stay one' },
  preconditionFailed: { slug: 'precondition-failed', status: 412, title: 'The resource is not in the expected state' },
  bodyTooLarge: { slug: 'body-too-large', status: 413, title: 'The body is too large' },
  targetTooLong: { slug: 'target-too-long', status: 414, title: 'The target is too long' },
  unsupportedMediaType: { slug: 'unsupported-media-type', status: 415, title: 'The body is not declared as JSON' },
  rangeNotSatisfiable: { slug: 'range-not-satisfiable', status: 416, title: 'The range lies outside of the file' },
  expectationFailed: { slug: 'expectation-failed', status: 417, title: 'The expectation cannot be met' },
  usernameTaken: { slug: 'username-taken', status: 422, title: 'The username is already in use' },
  projectNameTaken: { slug: 'project-name-taken', status: 422, title: 'The project name is already in use' },
  tooManyProjects: { slug: 'too-many-projects', status: 422, title: 'The user owns too many projects' },
  tooManyTokens: { slug: 'too-many-tokens', status: 422, title: 'The user has too many tokens' },
  tooManyAttempts: { slug: 'too-many-attempts', status: 429, title: 'Too many failed attempts' },
  headersTooLarge: { slug: 'headers-too-large', status: 431, title: 'The header fields are too large or too many' },
  internalError: { slug: 'internal-error', status: 500, title: 'Something went wrong in the service' },
  busy: { slug: 'busy', status: 503, title: 'The service is busy' },
  databaseUnavailable: { slug: 'database-unavailable', status: 503, title: 'The database does not answer' },
  notReady: { slug: 'not-ready', status: 503, title: 'The service is not ready' },
  storageFull: { slug: 'storage-full', status: 507, title: 'There is no space left to store anything' },
} as const satisfies Record<string, ProblemType>;

/** One function for each problem, with what its detail needs to know. */
export const problems = {
  malformedRequest: (reason: string) =>
    new HttpProblem(problemTypes.malformedRequest, `The request cannot be read: ${reason}`),

  malformedBody: (reason: string) =>
    new HttpProblem(problemTypes.malformedBody, `The body cannot be read: ${reason}`),

  invalidBody: (parts: readonly ProblemPart[]) =>
    new HttpProblem(problemTypes.invalidBody, 'The errors are listed, each with a JSON pointer into the body', { parts }),

  /** @param expectation - Completes "Expected …". */
  invalidParameter: (name: string, expectation: string) =>
    new HttpProblem(problemTypes.invalidParameter, `The query parameter "${name}" is invalid: expected ${expectation}`),

  /** @param details - Those of `invalidParameter`. */
  invalidParameters: (details: readonly string[]) => new HttpProblem(problemTypes.invalidParameter, details.join('; ')),

  unknownOwner: () => new HttpProblem(problemTypes.unknownOwner, 'No user has the given username'),

  unauthenticated: () =>
    new HttpProblem(problemTypes.unauthenticated, 'The request needs a username and a password, or a token, that are valid', {
      headers: { 'WWW-Authenticate': CHALLENGES },
    }),

  forbidden: (detail: string) => new HttpProblem(problemTypes.forbidden, detail),

  passwordNeeded: () =>
    new HttpProblem(problemTypes.passwordNeeded, 'Sign in with the username and password, not with a token'),

  wrongPassword: () => new HttpProblem(problemTypes.wrongPassword, 'The member "current_password" is not the password'),

  notFound: (what: string) => new HttpProblem(problemTypes.notFound, `There is no such ${what}`),

  methodNotAllowed: (allowed: readonly string[]) =>
    new HttpProblem(problemTypes.methodNotAllowed, `The resource has the methods ${allowed.join(', ')}`, {
      headers: { 'Allow': allowed.join(', ') },
    }),

  requestTimeout: () => new HttpProblem(problemTypes.requestTimeout, 'The request did not arrive in time'),

  projectsOwned: () =>
    new HttpProblem(problemTypes.projectsOwned, 'Choose what becomes of the projects with "owned_projects"'),

  lastAdministrator: () =>
    new HttpProblem(problemTypes.lastAdministrator, 'Nobody else is an administrator who can sign in'),

  preconditionFailed: () =>
    new HttpProblem(problemTypes.preconditionFailed, 'The entity tag of the resource is not what If-Match or If-None-Match expects'),

  bodyTooLarge: (sizeBytesMax: number) =>
    new HttpProblem(problemTypes.bodyTooLarge, `The body may have ${sizeBytesMax} bytes at most`),

  targetTooLong: (sizeBytesMax: number) =>
    new HttpProblem(problemTypes.targetTooLong, `Path and query may have ${sizeBytesMax} bytes together`),

  unsupportedMediaType: (detail: string) => new HttpProblem(problemTypes.unsupportedMediaType, detail),

  rangeNotSatisfiable: (sizeBytes: number) =>
    new HttpProblem(problemTypes.rangeNotSatisfiable, `The file has ${sizeBytes} bytes`, {
      headers: { 'Content-Range': `bytes */${sizeBytes}` },
    }),

  expectationFailed: () =>
    new HttpProblem(problemTypes.expectationFailed, 'Only the expectation "100-continue" is understood'),

  usernameTaken: () => new HttpProblem(problemTypes.usernameTaken, 'Another user has this username, case ignored'),

  projectNameTaken: () => new HttpProblem(problemTypes.projectNameTaken, 'Another project has this name, case ignored'),

  tooManyProjects: () =>
    new HttpProblem(problemTypes.tooManyProjects, 'The user would own more projects than one user may'),

  tooManyTokens: () =>
    new HttpProblem(
      problemTypes.tooManyTokens, 'Revoke a token, or wait until one expires, before another is issued',
    ),

  tooManyAttempts: (retryAfterSeconds: number) =>
    new HttpProblem(problemTypes.tooManyAttempts, 'Attempts from this address are refused for a while', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),

  headersTooLarge: () => new HttpProblem(problemTypes.headersTooLarge, 'The header fields exceed the limits'),

  internalError: () =>
    new HttpProblem(problemTypes.internalError, 'The error has been logged under the id of this request'),

  busy: (retryAfterSeconds: number, detail = 'Too many password checks are queued; retry later') =>
    new HttpProblem(problemTypes.busy, detail, {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),

  databaseUnavailable: () =>
    new HttpProblem(problemTypes.databaseUnavailable, 'It is not known whether a change that was asked for has been made', {
      headers: { 'Retry-After': String(DATABASE_RETRY_AFTER_SECONDS) },
    }),

  databaseLocked: () =>
    new HttpProblem(problemTypes.databaseUnavailable, 'Another program keeps it to itself for the moment; nothing has been changed', {
      headers: { 'Retry-After': String(DATABASE_RETRY_AFTER_SECONDS) },
    }),

  notReady: (failedChecks: readonly string[]) =>
    new HttpProblem(problemTypes.notReady, 'Requests had better go elsewhere for the moment', { failedChecks }),

  storageFull: () =>
    new HttpProblem(problemTypes.storageFull, 'Nothing has been changed; what is stored can still be read'),
};
