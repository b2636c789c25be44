/** The prose of the page of problems, for callers. Text in back-ticks is code. */
import type { ProblemSlug } from '../../api/problem-types.ts';

interface ProblemText {
  /** The cause, in sentences. */
  readonly meaning: string;
  /** The next step for the caller. */
  readonly remedy: string;
  /** Says whether to send the same request again. */
  readonly retry: string;
}

const NO_RETRY = 'No. The same request gets the same response.';
const AFTER_RETRY_AFTER = 'Yes, after the number of seconds in `Retry-After`.';

/** The compiler demands a text for every type of problem. */
export const problemTexts: { readonly [slug in ProblemSlug]: ProblemText } = {
  'malformed-request': {
    meaning:
      'The request is not valid HTTP, or is ambiguous: a malformed percent-escape in the path or query, a ' +
      'missing or repeated `Host`, a repeated `Authorization`, or a length that is stated twice. The ' +
      'connection is closed.',
    remedy: 'Send one well-formed request. Check proxies, and URLs that are assembled by hand.',
    retry: NO_RETRY,
  },
  'malformed-body': {
    meaning:
      'The body is missing, is not JSON, is not UTF-8, contains half of a surrogate pair or more than 30 ' +
      'combining marks in a row, or is nested deeper than 64 levels. The `detail` says which.',
    remedy: 'Send one JSON value in UTF-8, written by a JSON library.',
    retry: NO_RETRY,
  },
  'invalid-body': {
    meaning:
      'The body is JSON, but does not match the schema of the operation. `errors` lists every mistake: the ' +
      'JSON pointer (RFC 6901) of the value, the schema keyword that it violates, and a message.',
    remedy: 'Correct each value that a `pointer` names.',
    retry: NO_RETRY,
  },
  'invalid-parameter': {
    meaning: 'A query parameter has an invalid value or is repeated. `errors` lists every mistake.',
    remedy: 'Correct the parameters that `errors` names. Unknown parameters are ignored.',
    retry: NO_RETRY,
  },
  'unknown-owner': {
    meaning: 'The request names an owner or new owner of projects, but no user has this username.',
    remedy: 'Look the name up with `GET /api/v1/users?contains=…`. Case is ignored.',
    retry: 'Only after a user with this name exists.',
  },
  'unauthenticated': {
    meaning:
      'The request has no credentials, or invalid ones. The response does not reveal which names and ' +
      'tokens exist: it is the same for an unknown or disabled user, a wrong password, and an unknown, ' +
      'expired or revoked token.',
    remedy:
      'Send a username and password, or a token, in `Authorization`. If the token worked before, it has ' +
      'expired or was revoked: request a new one with `POST /api/v1/token` and your password.',
    retry: 'No. Wrong passwords are counted, and too many lead to `too-many-attempts`.',
  },
  'forbidden': {
    meaning:
      'The credentials are valid, but the caller lacks the right: the resource belongs to somebody else, ' +
      'only administrators may do this, the token is read-only, or the operation needs the password. A ' +
      'form on a page of another origin is also refused if the browser adds credentials. The `detail` says ' +
      'which.',
    remedy: 'Ask the owner or an administrator, or sign in with the password or a full-access token.',
    retry: 'Not with the same credentials.',
  },
  'token-for-programs': {
    meaning:
      'The token has an `audience`: it is for certain programs, and `/api/v1/verify` lets it pass only for ' +
      'those. The proxy names the program in `X-Forwarded-Host`, which counts from a proxy in ' +
      '`TRUST_PROXY`. Every other operation refuses such a token; only `DELETE /api/v1/token` accepts it, ' +
      'to revoke the token itself.',
    remedy: 'Create a token for this program, or one without `audience`.',
    retry: 'Not with the same token.',
  },
  'sign-in-postponed': {
    meaning:
      'Too many sign-ins failed, or too many password checks are queued. Only `/api/v1/verify` responds ' +
      'with this; other operations use 429 and 503, which some proxies turn into 500.',
    remedy: 'Wait, then sign in with the right password. Tokens keep working.',
    retry: AFTER_RETRY_AFTER,
  },
  'password-needed': {
    meaning:
      'Deleting your account, changing a username, making an administrator and resetting the password of ' +
      'an administrator require the password, because a token may be stolen. Nothing has been changed.',
    remedy: 'Send the same request with your username and password (HTTP Basic).',
    retry: 'Not with a token.',
  },
  'wrong-password': {
    meaning:
      'To change your password, send your current one. `current_password` does not match. Nothing has been ' +
      'changed.',
    remedy: 'Enter the current password again. An administrator can set a new one without it.',
    retry: 'No. It counts as a failed sign-in, and too many lead to `too-many-attempts`.',
  },
  'not-found': {
    meaning:
      'No route matches the path, or no user, project, token or file has this name or id. The tokens of ' +
      'other users are not found either.',
    remedy:
      'Check the path. It must match exactly, without a slash at its end. A segment that is an integer is ' +
      'an id, never a name. The resource may have been deleted or renamed.',
    retry: 'Only after somebody has created it.',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but does not support the method of the request.',
    remedy: 'Use a method that `Allow` lists.',
    retry: NO_RETRY,
  },
  'request-timeout': {
    meaning:
      'The header fields or the body did not arrive in time, and the connection was closed. Nothing has ' +
      'been changed.',
    remedy: 'Send it again on a new connection, without pauses.',
    retry: 'Yes, at once.',
  },
  'projects-owned': {
    meaning:
      'This user still owns projects. Say whether to delete or transfer them. Nothing has been changed.',
    remedy:
      'Add a query parameter: `owned_projects=delete` deletes the projects too, `owned_projects=transfer` ' +
      'with `new_owner=<username>` transfers them.',
    retry: 'Only with `owned_projects=delete` or `owned_projects=transfer`, or after all projects are gone.',
  },
  'last-administrator': {
    meaning:
      'No other administrator can sign in, so this one cannot be demoted, disabled or deleted. Nothing has ' +
      'been changed.',
    remedy: 'Make another user an administrator first, or enable one.',
    retry: 'Only after another administrator can sign in.',
  },
  'precondition-failed': {
    meaning:
      'The entity tag of the resource is not listed in `If-Match`, because somebody else has changed the ' +
      'resource, or it is listed in `If-None-Match`. Nothing has been changed.',
    remedy: 'Read the resource again, and repeat the change with its new `ETag` if you still want it.',
    retry: 'No. Read it first.',
  },
  'body-too-large': {
    meaning:
      'The body exceeds the limit of the operation. The connection may be closed if the rest has not ' +
      'arrived.',
    remedy: 'Send a smaller body. The `detail` gives the limit in bytes.',
    retry: NO_RETRY,
  },
  'target-too-long': {
    meaning: 'The path and query of the request exceed the limit.',
    remedy: 'Shorten them. The `detail` gives the limit in bytes.',
    retry: NO_RETRY,
  },
  'unsupported-media-type': {
    meaning:
      'The body is not declared as JSON, or for `/api/v1/introspect` as a form; or it has a content ' +
      'coding. Requests from pages of other web sites must always declare JSON: otherwise a form there ' +
      'could act for a user whose browser remembers the password.',
    remedy: 'Send the `Content-Type` that the `detail` names, and no `Content-Encoding`.',
    retry: NO_RETRY,
  },
  'range-not-satisfiable': {
    meaning: '`Range` asks for a part that begins after the end of the file.',
    remedy: 'Ask for a part within the size that `Content-Range` gives, or for the whole file.',
    retry: NO_RETRY,
  },
  'expectation-failed': {
    meaning: 'The request has an `Expect` field other than `100-continue`.',
    remedy: 'Leave `Expect` out.',
    retry: NO_RETRY,
  },
  'username-taken': {
    meaning: 'Another user has this username. Case is ignored. Nothing has been changed.',
    remedy: 'Choose another name.',
    retry: 'Only after the other user has been deleted or renamed.',
  },
  'project-name-taken': {
    meaning:
      'Another project has this name. Project names are unique across all users, and case is ignored. ' +
      'Nothing has been changed.',
    remedy: 'Choose another name.',
    retry: 'Only after the other project has been deleted or renamed.',
  },
  'too-many-projects': {
    meaning:
      'The user already owns as many projects as one user may own (`MAX_PROJECTS_PER_USER`). Nothing has ' +
      'been changed.',
    remedy: 'Delete projects, or choose another owner.',
    retry: 'Only after the user owns fewer projects.',
  },
  'too-many-tokens': {
    meaning:
      'The user already has as many valid tokens as one user may have (`MAX_TOKENS_PER_USER`). No token ' +
      'was issued.',
    remedy: 'Revoke tokens that you do not need, and use one token for many requests.',
    retry: 'Only after a token has expired or been revoked.',
  },
  'too-many-attempts': {
    meaning:
      'Too many sign-ins from this address failed, for this username or in total, or too many new names ' +
      'were taken. Until the time in `Retry-After` is over, even the right password is refused. The limit ' +
      'in total does not apply to users who signed in from this address within a day. Tokens keep working.',
    remedy:
      'Wait, then sign in with the right password. Programs should use a token, and never retry a password ' +
      'automatically.',
    retry: AFTER_RETRY_AFTER,
  },
  'too-many-changes': {
    meaning:
      'You have made as many changes within an hour as one user may (`MAX_CHANGES_PER_USER`). Each request ' +
      'that reaches the operation counts, also one that the operation refuses. Nothing has been changed, ' +
      'and reads are not limited.',
    remedy:
      'Spread changes over time: the budget is refilled evenly. For a large number of records, ask the ' +
      'operator, who can lift the limit.',
    retry: AFTER_RETRY_AFTER,
  },
  'headers-too-large': {
    meaning: 'The request has too many header fields, or they are too large.',
    remedy: 'Send fewer or shorter fields. Cookies of other services on the same host are a common cause.',
    retry: NO_RETRY,
  },
  'internal-error': {
    meaning: 'Something failed inside the service. The log has the error under the `request_id`.',
    remedy: 'Give the operator the `request_id`. Check whether a change was saved before you repeat it.',
    retry: 'Once. If it fails again, tell the operator.',
  },
  'busy': {
    meaning:
      'Too many password checks or long reads are queued, or other requests keep changing the ' +
      'same data. Nothing has been changed.',
    remedy: 'Try again shortly. Requests with a token need no password check.',
    retry: AFTER_RETRY_AFTER,
  },
  'database-unavailable': {
    meaning:
      'The database did not respond in time. Acknowledged changes are never lost. Unless the `detail` says ' +
      'that nothing has been changed, the change in this request may or may not have been saved, but never ' +
      'in part.',
    remedy: 'Try again shortly. If the request was a change, first check whether it was saved.',
    retry: 'Reads: yes, after the number of seconds in `Retry-After`. Changes: check first.',
  },
  'not-ready': {
    meaning:
      'Only `/readyz` responds with this, for load balancers. `failed_checks` says why: `database` or ' +
      '`cluster` does not respond, the `schema` is missing or of another version, or the service is ' +
      '`starting`, `upgrading` its file, or `draining` because it is shutting down.',
    remedy: 'Send requests to another instance until this one responds with 200.',
    retry: 'Yes. Load balancers check every few seconds.',
  },
  'storage-full': {
    meaning: 'The disk of the service has no room for this change. Stored data can still be read.',
    remedy: 'Tell the operator. Changes work again as soon as there is space.',
    retry: 'Later, after the operator has freed space.',
  },
};
