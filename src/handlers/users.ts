/** `/api/v1/users` */
import { toNewPassword, type Client } from '../auth/applicants.ts';
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { findUsernameFault } from '../model/name.ts';
import type { PasswordHash, User, UserId, UserWithProjects } from '../model/user.ts';
import { problems } from '../problems.ts';
import { USER_SORT_KEYS } from '../schemas/parameters.ts';
import { findPasswordFault, toNewUserBody, type NewUserBody } from '../schemas/users.ts';
import { answerRecord } from './change.ts';
import { toOrigin } from './origin.ts';
import { parseIdOrName, readAll, readPage, readSearch, readSort, toListReply } from './parameters.ts';
import { toProjectRecord } from './projects.ts';
import type { Services } from './services.ts';
import { toTokenRecord } from './token-collection.ts';

export async function listUsers({ users }: Services, request: HttpRequest): Promise<Reply> {
  const [page, search, sort] = readAll(
    () => readPage(request.query),
    () => readSearch(request.query),
    () => readSort(request.query, USER_SORT_KEYS),
  );
  const found = await users.listWithProjects({ search, sort, page });
  return toListReply('users', request, page, found);
}

export async function readUser({ users }: Services, request: HttpRequest): Promise<Reply> {
  const address = toUserAddress(request);
  const shown = address && (await users.findJson(address));
  if (shown === undefined) {
    throw problems.notFound('user');
  }
  return answerRecord(request, shown);
}

/** The caller, who they are and how they signed in. */
export async function readCaller({ users }: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const user = await users.findWithProjects({ id: caller.user.id });
  if (user === undefined) {
    throw problems.unauthenticated(); // gone since they signed in
  }
  const record = {
    ...toUserRecord(user),
    role: user.isAdmin ? 'administrator' : 'user',
    sign_in: caller.signIn,
    token: caller.signIn === 'token' ? toTokenRecord(caller.token) : null,
  };
  return answerRecord(request, { version: user.version, json: JSON.stringify(record) });
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
      return jsonReply(201, toNewUserRecord(outcome.user), { 'Location': `/api/v1/users/${outcome.user.id}` });
    case 'username-taken': // in the meantime
      throw problems.usernameTaken();
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
  const holder = await users.findByName(username);
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

export async function findAddressedUser({ users }: Services, request: HttpRequest): Promise<UserWithProjects> {
  const address = toUserAddress(request);
  const user = address && (await users.findWithProjects(address));
  if (user === undefined) {
    throw problems.notFound('user');
  }
  return user;
}

/** In JSON as `findJson` of the store makes it, byte by byte. */
export function toShownUser(user: UserWithProjects) {
  return { version: user.version, json: JSON.stringify(toUserRecord(user)) };
}

function toUserRecord(user: UserWithProjects) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    date_created: user.dateCreated,
    is_admin: user.isAdmin,
    disabled: user.isDisabled,
    projects: user.projects.map(toProjectRecord),
  };
}

function toNewUserRecord({ username, email, id, dateCreated }: User) {
  return { username, email, id, date_created: dateCreated };
}
