/**
 * What each type of problem means to a caller: the text of its page under `/static/problems/`, and of the document of the
 * interface. Text in back-ticks is code.
 */
import type { HttpProblem } from './http/problem.ts';
import { problems, type problemTypes } from './problems.ts';

export interface ProblemExplanation {
  /** What has happened. */
  readonly meaning: string;
  /** What the caller does about it. */
  readonly remedy: string;
  /** Whether the same request may succeed when it is sent again. */
  readonly retry: string;
  readonly example: HttpProblem;
}

const NOT_UNCHANGED = 'No. The same request gets the same answer.';
const AFTER_RETRY_AFTER = 'Yes, after as many seconds as `Retry-After` says.';

/** In the order of `problemTypes`. */
export const problemExplanations: Readonly<Record<keyof typeof problemTypes, ProblemExplanation>> = {
  malformedRequest: {
    meaning:
      'The request cannot be understood as HTTP, or could be understood in two ways: a bad percent-escape in the path or the ' +
      'query, no or several `Host` fields, several `Authorization` fields, a length that is stated twice.',
    remedy: 'Send one well-formed request. Clients in common use do; look at proxies and at URLs that are put together by hand.',
    retry: NOT_UNCHANGED,
    example: problems.malformedRequest('its target is not a path in percent-encoded UTF-8'),
  },
  malformedBody: {
    meaning:
      'The body is empty where one is needed, is not JSON, is not UTF-8, holds half of a surrogate pair or more than 30 ' +
      'combining marks in a row, or is nested deeper than 64 levels. The `detail` says which.',
    remedy: 'Send one JSON value in UTF-8, written by a JSON library rather than by hand.',
    retry: NOT_UNCHANGED,
    example: problems.malformedBody('it is not well-formed JSON'),
  },
  invalidBody: {
    meaning:
      'The body is JSON, but not of the form that the operation expects. Everything that is wrong is listed in `errors`, not ' +
      'the first mistake alone: a JSON pointer (RFC 6901) to the place, the keyword of the schema that it violates, and a ' +
      'message for people.',
    remedy: 'Correct each place that a `pointer` names. A form shows each `message` beside its field.',
    retry: NOT_UNCHANGED,
    example: problems.invalidBody([
      { pointer: '/username', keyword: 'type', message: 'must be a string' },
      { pointer: '/email', keyword: 'format', message: 'must be an email address' },
    ]),
  },
  invalidParameter: {
    meaning: 'A query parameter is not what it may be, or is given more than once. The `detail` names each one and what it may be.',
    remedy: 'Correct the parameters that the `detail` names. Those that an operation does not know are ignored.',
    retry: NOT_UNCHANGED,
    example: problems.invalidParameter('items_per_page', 'an integer from 1 to 1000'),
  },
  unknownOwner: {
    meaning: 'No user has the username that was given as the owner of a project, or as the one who is to get projects.',
    remedy: 'Look for the right name with `GET /api/v1/users?contains=…`. Case does not matter.',
    retry: 'Not before there is a user of that name.',
    example: problems.unknownOwner(),
  },
  unauthenticated: {
    meaning:
      'The request has no credentials, or none that are valid. The answer is the same for an unknown or disabled user, a wrong ' +
      'password, and a token that is unknown, expired or revoked, so that it does not tell which names and tokens exist.',
    remedy:
      'Sign in with a username and a password, or with a token, in `Authorization`. If a token was accepted before, it has ' +
      'ended: exchange the password for a new one with `POST /api/v1/token`.',
    retry: 'No. Wrong passwords are counted, and too many are answered with `too-many-attempts`.',
    example: problems.unauthenticated(),
  },
  forbidden: {
    meaning:
      'The credentials are right, but the caller lacks the right: what they ask for belongs to somebody else or to ' +
      'administrators, or the token may only read. The `detail` says which.',
    remedy: 'Ask the owner or an administrator, or sign in with the password or a token that may do everything.',
    retry: 'Not with the same credentials.',
    example: problems.forbidden('Only its owner or an administrator may change or delete a project'),
  },
  passwordNeeded: {
    meaning: 'Deleting your account needs the password, since a token may be stolen. Nothing was changed.',
    remedy: 'Send the same request with the username and the password (HTTP Basic).',
    retry: 'Not with a token.',
    example: problems.passwordNeeded(),
  },
  wrongPassword: {
    meaning:
      'Whoever changes their own password must show the one they have, and `current_password` is not it. The account is as it was.',
    remedy: 'Enter the current password again. An administrator can set a new one without it.',
    retry: 'No. It counts like a failed sign-in, and too many are answered with `too-many-attempts`.',
    example: problems.wrongPassword(),
  },
  notFound: {
    meaning:
      'No route has this path, or no user, project, token or file has this name or id. Some things are not shown to those ' +
      'whom they do not concern: tokens of others, and the metrics where they are off.',
    remedy:
      'Check the path: it is exact, without a slash at its end, and a segment of digits alone is an id, never a name. What was ' +
      'there before may have been deleted or renamed.',
    retry: 'Not before somebody creates it.',
    example: problems.notFound('project'),
  },
  methodNotAllowed: {
    meaning: 'There is something at this path, but it does not have the method of the request.',
    remedy: 'Choose a method that `Allow` lists.',
    retry: NOT_UNCHANGED,
    example: problems.methodNotAllowed(['GET', 'POST', 'HEAD', 'OPTIONS']),
  },
  requestTimeout: {
    meaning:
      'The header fields or the body of the request did not arrive in time, and the connection was closed. Nothing has been changed.',
    remedy: 'Send it again, on a new connection and without pauses.',
    retry: 'Yes, at once.',
    example: problems.requestTimeout(),
  },
  projectsOwned: {
    meaning: 'A user who owns projects is deleted only with word of what becomes of them. Nothing has been changed.',
    remedy:
      'Decide: `owned_projects=delete` deletes the projects too, `owned_projects=transfer` with `new_owner=<username>` hands ' +
      'them over.',
    retry: 'Not before the projects are gone, or with that choice in the query.',
    example: problems.projectsOwned(),
  },
  lastAdministrator: {
    meaning: 'Nobody else is an administrator who can sign in, so this one cannot be demoted, disabled or deleted. Nothing has been changed.',
    remedy: 'Make another user an administrator first, or enable one.',
    retry: 'Not before there is another administrator.',
    example: problems.lastAdministrator(),
  },
  preconditionFailed: {
    meaning:
      'The resource has none of the entity tags of `If-Match`, so somebody else has changed it meanwhile, or it has one of ' +
      '`If-None-Match`. Nothing has been changed.',
    remedy: 'Read it again, look at what has become of it, and send the change with its new `ETag` if it is still wanted.',
    retry: 'No. Read it first.',
    example: problems.preconditionFailed(),
  },
  bodyTooLarge: {
    meaning: 'The body is longer than the service accepts. The connection is closed if the rest of the body is still to come.',
    remedy: 'Send less: the `detail` gives the limit in bytes, which the operator sets with `MAX_BODY_BYTES`.',
    retry: NOT_UNCHANGED,
    example: problems.bodyTooLarge(131_072),
  },
  targetTooLong: {
    meaning: 'The path and the query of the request are longer than the service accepts.',
    remedy: 'Shorten them: the `detail` gives the limit in bytes, which the operator sets with `MAX_URL_BYTES`.',
    retry: NOT_UNCHANGED,
    example: problems.targetTooLong(12_288),
  },
  unsupportedMediaType: {
    meaning:
      'The body is not declared as JSON, or has a content coding. A page of another origin must always declare its body; ' +
      'otherwise a form on it could act for a user whose browser remembers their password.',
    remedy: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    retry: NOT_UNCHANGED,
    example: problems.unsupportedMediaType('The body must be declared as application/json'),
  },
  rangeNotSatisfiable: {
    meaning: 'The part of the file that `Range` asks for begins behind its end.',
    remedy: 'Ask for a part within the size that `Content-Range` gives, or for the whole file.',
    retry: NOT_UNCHANGED,
    example: problems.rangeNotSatisfiable(1024),
  },
  expectationFailed: {
    meaning: 'The request has an `Expect` field that asks for something else than `100-continue`.',
    remedy: 'Leave `Expect` out.',
    retry: NOT_UNCHANGED,
    example: problems.expectationFailed(),
  },
  usernameTaken: {
    meaning: 'Usernames are unique, case ignored, and another user has this one. Nothing has been changed.',
    remedy: 'Choose another name.',
    retry: 'Not before the other user is deleted or renamed.',
    example: problems.usernameTaken(),
  },
  projectNameTaken: {
    meaning: 'Project names are unique across all users, case ignored, and another project has this one. Nothing has been changed.',
    remedy: 'Choose another name.',
    retry: 'Not before the other project is deleted or renamed.',
    example: problems.projectNameTaken(),
  },
  tooManyProjects: {
    meaning: 'A user owns as many projects as one may (`MAX_PROJECTS_PER_USER`). Nothing has been changed.',
    remedy: 'Delete projects that are not needed, or choose another owner.',
    retry: 'Not before the user owns fewer projects.',
    example: problems.tooManyProjects(),
  },
  tooManyTokens: {
    meaning: 'A user has as many valid tokens as one may (`MAX_TOKENS_PER_USER`). No token was issued.',
    remedy: 'Revoke tokens that are not needed, and use a token for many requests.',
    retry: 'Not before a token is revoked or expires.',
    example: problems.tooManyTokens(),
  },
  tooManyAttempts: {
    meaning:
      'Too many sign-ins from this address have failed, for this username or in all, or too many ' +
      'registrations have met a taken name. Until the time is over, the right password is refused too. ' +
      'Tokens go on working.',
    remedy: 'Wait, then sign in with the right password. Programs use a token, and do not try passwords again on their own.',
    retry: AFTER_RETRY_AFTER,
    example: problems.tooManyAttempts(240),
  },
  headersTooLarge: {
    meaning: 'The header fields of the request are more, or together longer, than the service accepts.',
    remedy: 'Send fewer or shorter fields. Cookies of other services on the same host are a common cause. The operator sets the limits.',
    retry: NOT_UNCHANGED,
    example: problems.headersTooLarge(),
  },
  internalError: {
    meaning: 'The service met a defect or an outage that it has no better word for, and has logged it under the `request_id`.',
    remedy: 'Give the operator the `request_id`. Look whether a change has been made before asking for it again.',
    retry: 'Perhaps once. If it happens again, it will go on until somebody looks into it.',
    example: problems.internalError(),
  },
  busy: {
    meaning:
      'More passwords are waiting to be checked than can be soon, or, seldom, many are changing the same record at once. ' +
      'Nothing has been changed.',
    remedy: 'Come again a little later. With a token there is nothing to wait for.',
    retry: AFTER_RETRY_AFTER,
    example: problems.busy(6),
  },
  databaseUnavailable: {
    meaning:
      'The database gave no answer in time. Nothing that was acknowledged is lost. Unless the `detail` says that nothing has ' +
      'been changed, a change that was asked for may have been made or not: entirely or not at all.',
    remedy: 'Come again a little later, and look whether the change has been made before asking for it again.',
    retry: 'Reads: yes, after as many seconds as `Retry-After` says. Changes: look first.',
    example: problems.databaseUnavailable(),
  },
  notReady: {
    meaning:
      'Only `/readyz` answers so, for load balancers. `failed_checks` names why: `database` or `cluster` does not answer, its ' +
      'its tables are missing or too old (`schema`), or the service is `draining`, because it shuts down.',
    remedy: 'Send requests to another copy of the service until this one answers 200.',
    retry: 'Yes: load balancers ask every few seconds.',
    example: problems.notReady(['database']),
  },
  storageFull: {
    meaning: 'The disk of the service is full. Nothing has been changed, and what is stored can still be read.',
    remedy: 'Tell the operator. Changes work again as soon as there is space.',
    retry: 'Later, when the operator has made space.',
    example: problems.storageFull(),
  },
};
