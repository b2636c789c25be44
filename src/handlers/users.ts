/** `/api/v1/users` */
import { toNewPassword, type Client } from '../auth/applicants.ts';
import type { Caller } from '../auth/authenticate.ts';
import { jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { findUsernameFault } from '../model/name.ts';
import type { PasswordHash, User, UserId } from '../model/user.ts';
import { problems } from '../problems.ts';
import { USER_SORT_KEYS } from '../schemas/parameters.ts';
import { findPasswordFault, toNewUserBody, type NewUserBody } from '../schemas/users.ts';
import { answerRecord, toLostRightProblem } from './change.ts';
import type { UserRepresentation } from '../stores/users.ts';
import { toOrigin } from './origin.ts';
import { parseIdOrName, readAll, readPage, readSearch, readSort, toListReply } from './parameters.ts';
import type { Services } from './services.ts';
import { toTokenRecord } from './token-collection.ts';

export async function listUsers({ users }: Services, request: HttpRequest): Promise<Reply> {
  const [page, search, sort] = readAll(
    () => readPage(request.query),
    () => readSearch(request.query),
    () => readSort(request.query, USER_SORT_KEYS),
  );
  const found = await users.list({ search, sort, page });
  return toListReply('users', request, page, found);
}

export async function readUser({ users }: Services, request: HttpRequest, { user }: Caller): Promise<Reply> {
  const address = toUserAddress(request);
  const shown = address && (await users.findRepresentation(address));
  if (shown === undefined) {
    throw problems.notFound('user');
  }
  const mayChange = user.isAdmin || user.id === shown.id;
  return withLinkToProjects(answerRecord(request, mayChange ? shown : { json: shown.json }), shown);
}

/** The caller, who they are and how they signed in. */
export async function readCaller({ users }: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const shown = await users.findRepresentation({ id: caller.user.id }, {
    role: caller.user.isAdmin ? 'administrator' : 'user',
    sign_in: caller.signIn,
    token: caller.signIn === 'token' ? toTokenRecord(caller.token) : null,
  });
  if (shown === undefined) {
    throw problems.unauthenticated(); // deleted since they signed in
  }
  return withLinkToProjects(answerRecord(request, shown), shown);
}

/** A client that wants all projects of a user finds them there (RFC 8288). */
function withLinkToProjects(reply: Reply, { username, hasMoreProjects }: UserRepresentation): Reply {
  const link = `</api/v1/projects?owner=${encodeURIComponent(username)}>; rel="related"`;
  return hasMoreProjects ? { ...reply, headers: { ...reply.headers, 'Link': link } } : reply;
}

/** @param caller - Given while registration is closed. */
export async function createUser(services: Services, request: HttpRequest, caller?: Caller): Promise<Reply> {
  const body = toNewUserBody(request.body);
  refuseMixedScripts(body.username);
  refuseLongPassword(body.password);
  await refuseTakenUsername(services, body, request.address);
  const passwordHash = await hashPassword(services, body.password, request);
  const { username, email } = body;
  const account = { username, email, passwordHash, isAdmin: false, dateCreated: toTimestamp(services.clock()) };
  const outcome = await services.users.insert(account, toOrigin(services, request, caller));
  switch (outcome.kind) {
    case 'inserted':
      return jsonTextReply(
        201, outcome.representation.json, { 'Location': `/api/v1/users/${outcome.user.id}` },
      );
    case 'username-taken': // in the meantime
      throw problems.usernameTaken();
    case 'credentials-revoked':
    case 'role-lost':
      throw toLostRightProblem(outcome);
  }
}

export async function hashPassword(
  { passwords }: Services, password: string, client: Client,
): Promise<PasswordHash> {
  const hashing = await passwords.hash(password, toNewPassword(client));
  if (hashing.kind === 'busy') {
    throw problems.busy(hashing.retryAfterSeconds);
  }
  return hashing.result;
}

export function refuseMixedScripts(username: string): void {
  const message = findUsernameFault(username);
  if (message !== undefined) {
    throw problems.invalidBody([{ pointer: '/username', keyword: 'pattern', message }]);
  }
}

export function refuseLongPassword(password: string): void {
  const message = findPasswordFault(password);
  if (message !== undefined) {
    throw problems.invalidBody([{ pointer: '/password', keyword: 'maxLength', message }]);
  }
}

/**
 * Saves the costly hash if the name is taken. The answer tells which usernames exist, as the specification
 * demands, so it is rate limited. This limit applies to registrations only: anonymous clients must not be
 * able to lock out users.
 */
async function refuseTakenUsername(
  { users, takenNames }: Services, { username }: NewUserBody, address: string,
): Promise<void> {
  refuseTooManyTakenNames();
  const holder = await users.find({ name: username });
  refuseTooManyTakenNames(); // again, to count concurrent registrations
  if (holder !== undefined) {
    takenNames.take({ address }); // and does not give the place back
    throw problems.usernameTaken();
  }

  function refuseTooManyTakenNames(): void {
    const retryAfterSeconds = takenNames.secondsToWait({ address });
    if (retryAfterSeconds > 0) {
      throw problems.tooManyAttempts(retryAfterSeconds); // for a free name too, or the refusal would tell
    }
  }
}

function toUserAddress({ pathParameters }: HttpRequest) {
  return parseIdOrName<UserId>(pathParameters['username_or_id'] ?? '');
}

export async function findAddressedUser({ users }: Services, request: HttpRequest): Promise<User> {
  const address = toUserAddress(request);
  const user = address && (await users.find(address));
  if (user === undefined) {
    throw problems.notFound('user');
  }
  return user;
}
