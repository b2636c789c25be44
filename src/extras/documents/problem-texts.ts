/** Advice about each type of problem, in which text in back-ticks is code. */
import type { ProblemSlug } from '../../api/problems.ts';

export const problemTexts: { readonly [slug in ProblemSlug]: string } = {
  'malformed-request':
    'The request is not valid HTTP, or it is ambiguous, for example because it has two `Host` fields.',
  'malformed-body':
    'The body is missing, is not JSON in UTF-8, or is nested deeper than 64 levels. ' +
    'Text with half of a surrogate pair, or with more than 30 combining marks in a row, is also refused.',
  'invalid-body':
    '`errors` lists every mistake: the JSON pointer (RFC 6901), the violated keyword, and a message.',
  'invalid-parameter':
    'A query parameter is invalid or repeated. `errors` lists every mistake. Unknown parameters are ignored.',
  'unknown-owner':
    'No user has the name in `owner`. Look up the name with `GET /api/v1/users?contains=…`.',
  'unauthenticated':
    'An unknown user, a disabled user, a wrong password and an invalid token all get the same response. ' +
    'Do not repeat a wrong password: too many failed sign-ins lead to `too-many-attempts`.',
  'forbidden':
    'The credentials are valid, but they do not allow this request. The `detail` says what is missing. ' +
    'A form on a page of another origin is refused if the browser adds credentials.',
  'sign-in-postponed':
    'Too many sign-ins failed, or too many password checks are queued. Tokens keep working. ' +
    '`/api/v1/verify` uses 403 for this problem, because some proxies turn 429 and 503 into 500.',
  'token-for-programs':
    'The token is valid only for the programs in its `audience`, and at this service only for ' +
    '`DELETE /api/v1/token`. A proxy in `TRUST_PROXY` names the program in `X-Forwarded-Host`.',
  'password-needed':
    'A stolen token must not be enough for this request. Send the request with your username and password.',
  'wrong-password':
    'Send your current password in `current_password`. A wrong password counts as a failed sign-in.',
  'not-found':
    'There is nothing at this path. Paths must match exactly, without a slash at the end. ' +
    'A segment that is an integer is an id, never a name. Tokens of other users count as not found.',
  'method-not-allowed': 'Use one of the methods that the response field `Allow` lists.',
  'request-timeout': 'The whole request did not arrive in time. Nothing has been changed.',
  'projects-owned': 'The user can be deleted only if the request says what happens to the projects.',
  'last-administrator':
    'The last administrator cannot be demoted, disabled or deleted. Promote or enable another user first.',
  'precondition-failed':
    '`If-Match` does not list the current entity tag of the resource, or `If-None-Match` lists this tag. ' +
    'Nothing has been changed. Read the resource again, and repeat the change with the new `ETag`.',
  'body-too-large': 'The `detail` states the limit for the body. The service may close the connection.',
  'target-too-long': 'Shorten the path and the query. The `detail` states the limit for path plus query.',
  'unsupported-media-type':
    'The `Content-Type` is wrong, or the body has a content coding; the `detail` says which of the two. ' +
    'A page of another origin must declare its body as JSON, so that no form can use a remembered password.',
  'range-not-satisfiable':
    '`Range` begins after the end of the file. `Content-Range` has the size of the file.',
  'expectation-failed': 'Send the request without the field `Expect`.',
  'username-taken': 'Another user has this username; case is ignored. Choose another username.',
  'project-name-taken': 'Another project has this name; case is ignored. Choose another name.',
  'too-many-projects':
    '`MAX_PROJECTS_PER_USER` limits the projects of a user. Delete projects, or choose another owner.',
  'too-many-tokens':
    '`MAX_TOKENS_PER_USER` limits the valid tokens of a user. Use one token for many requests.',
  'too-many-attempts':
    'Too many sign-ins from this address failed, or too many registrations asked for taken usernames. ' +
    'Until the time in `Retry-After` has passed, even the right password is refused, but tokens work.',
  'too-many-changes':
    '`MAX_CHANGES_PER_USER` limits how many changes a user may make in an hour. ' +
    'Even refused changes count. With each minute, more changes are allowed again. Reads are not limited.',
  'headers-too-large': 'Cookies of other services on the same host often make the header fields too large.',
  'internal-error':
    'Give the `request_id` to the operator, who can find the error in the log. ' +
    'Before you repeat a change, check whether the change was saved.',
  'busy':
    'Too many password checks or long reads are queued. A request with a token needs no password check. ' +
    'Nothing has been changed.',
  'database-unavailable':
    'The whole change may have been saved, unless the `detail` says that nothing has been changed. ' +
    'Before you repeat the change, check whether the change was saved.',
  'not-ready':
    'Only load balancers, which ask `/readyz`, get this problem. In `failed_checks`, `database` or ' +
    '`cluster` means that the database does not respond. `schema` means that tables are missing or have ' +
    'another version. `draining` means that the service is shutting down.',
  'storage-full':
    'The disk of the service is full. Tell the operator. Changes work again as soon as the disk has space.',
};
