/** The advice about each type of problem, besides its title and detail. Text in back-ticks is code. */
import type { ProblemSlug } from '../../api/problems.ts';

/** The compiler demands a text for every type of problem. */
export const problemTexts: { readonly [slug in ProblemSlug]: string } = {
  'malformed-request':
    'The request is not valid HTTP, or is ambiguous: a malformed percent-escape, a missing or repeated ' +
    '`Host`, a repeated `Authorization`, or a length that is stated twice. The connection is closed.',
  'malformed-body':
    'The body is missing, is not JSON in UTF-8, has half of a surrogate pair or more than 30 combining ' +
    'marks in a row, or is nested deeper than 64 levels. Let a JSON library write it.',
  'invalid-body':
    '`errors` lists every mistake: the JSON pointer (RFC 6901) of the value, the violated keyword of the ' +
    'schema, and a message.',
  'invalid-parameter':
    'A parameter is invalid or repeated. `errors` lists every mistake. Unknown parameters are ignored.',
  'unknown-owner':
    'The request names an owner of projects, but no user has this name. Case is ignored. Look the name up ' +
    'with `GET /api/v1/users?contains=…`.',
  'unauthenticated':
    'The response is the same for an unknown or disabled user, a wrong password, and an unknown, expired ' +
    'or revoked token. If a token expired, get a new one with your password. Do not repeat a wrong ' +
    'password: too many lead to `too-many-attempts`.',
  'forbidden':
    'The credentials are valid, but the caller lacks the right; the `detail` says which. Ask the owner or ' +
    'an administrator, or use a token of the scope `full`. A form on a page of another origin is also ' +
    'refused if the browser adds credentials.',
  'sign-in-postponed':
    'Too many sign-ins failed, or too many password checks are queued. Only `/api/v1/verify` responds with ' +
    '403 then; other operations use 429 and 503, which some proxies turn into 500. Tokens keep working.',
  'token-for-programs':
    'The token has an `audience`: `/api/v1/verify` lets it pass only for these programs. The proxy names ' +
    'the program in `X-Forwarded-Host`, which counts from a proxy in `TRUST_PROXY`. Every other operation ' +
    'refuses such a token; only `DELETE /api/v1/token` accepts it, to revoke the token itself.',
  'password-needed':
    'Deleting your account, changing a username, making an administrator and resetting the password of an ' +
    'administrator require the password, because a token may be stolen. Send the same request with your ' +
    'username and password (HTTP Basic).',
  'wrong-password':
    'To change your own password, send the current one. A wrong one counts as a failed sign-in. An ' +
    'administrator can set a new password without it.',
  'not-found':
    'A path must match exactly, without a slash at its end. A segment that is an integer is an id, never a ' +
    'name. The tokens of other users are not found either.',
  'method-not-allowed': 'Use a method that `Allow` lists.',
  'request-timeout':
    'The header fields or the body did not arrive in time, and the connection was closed. Nothing has been ' +
    'changed. Send the request on a new connection, without pauses.',
  'projects-owned': 'The user can be deleted only if the request says what happens to the projects.',
  'last-administrator':
    'The user is not demoted, disabled or deleted. Make another user an administrator first, or enable one.',
  'precondition-failed':
    'The entity tag of the resource is not listed in `If-Match`, or it is listed in `If-None-Match`. ' +
    'Nothing has been changed. Read the resource again, and repeat the change with its new `ETag` if you ' +
    'still want it.',
  'body-too-large': 'The `detail` gives the limit. The connection may be closed if the rest has not arrived.',
  'target-too-long': 'Shorten the path and the query. The `detail` gives the limit.',
  'unsupported-media-type':
    'Send the `Content-Type`, or no content coding, as the `detail` says. Pages of other web sites must ' +
    'always declare JSON: otherwise a form there could act for a user whose browser remembers the password.',
  'range-not-satisfiable': '`Range` begins after the end of the file. `Content-Range` gives its size.',
  'expectation-failed': 'Leave `Expect` out.',
  'username-taken': 'Another user has this username. Case is ignored. Choose another name.',
  'project-name-taken':
    'Project names are unique across all users, and case is ignored. Choose another name.',
  'too-many-projects':
    'One user may own only so many projects (`MAX_PROJECTS_PER_USER`). Delete projects, or choose another ' +
    'owner.',
  'too-many-tokens':
    'One user may have only so many valid tokens (`MAX_TOKENS_PER_USER`). Use one token for many requests.',
  'too-many-attempts':
    'Too many sign-ins from this address failed, for this username or in total, or too many new names were ' +
    'taken. Until then, even the right password is refused. The limit in total does not apply to users who ' +
    'signed in from this address within a day. Tokens keep working: programs should use one.',
  'too-many-changes':
    'One user may make only so many changes within an hour (`MAX_CHANGES_PER_USER`). Each request that ' +
    'reaches the operation counts, also a refused one. The budget is refilled evenly, reads are not ' +
    'limited, and the operator can lift the limit.',
  'headers-too-large': 'Cookies of other services on the same host are a common cause.',
  'internal-error':
    'The log has the error under the `request_id`: give it to the operator. Check whether a change was ' +
    'saved before you repeat it.',
  'busy':
    'Too many password checks or long reads are queued. Nothing has been changed. Requests with a token ' +
    'need no password check.',
  'database-unavailable':
    'Acknowledged changes are never lost. Unless the `detail` says that nothing has been changed, the ' +
    'change in this request may have been saved, but never in part: check before you repeat it.',
  'not-ready':
    'Only `/readyz` responds with this, for load balancers. `failed_checks` says why: `database` or ' +
    '`cluster` does not respond, the `schema` is missing or of another version, or the service is ' +
    '`starting`, `upgrading` its file, or `draining` because it is shutting down.',
  'storage-full':
    'The disk of the service is full. Tell the operator: changes work again as soon as there is space.',
};
