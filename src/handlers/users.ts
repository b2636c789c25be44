/** `/api/v1/users` */
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import type { User, UserId, UserWithProjects } from '../model/user.ts';
import { problems } from '../problems.ts';
import { findPasswordFault, toNewUserBody, type NewUserBody } from '../schemas/users.ts';
import { parseIdOrName, readPage, readSearch, toListReply } from './parameters.ts';
import { toProjectRecord } from './projects.ts';
import type { Services } from './services.ts';

export async function listUsers({ users }: Services, request: HttpRequest): Promise<Reply> {
  const page = readPage(request.query);
  const found = await users.listWithProjects({ search: readSearch(request.query), page });
  return toListReply('users', request, page, found);
}

export async function readUser({ users }: Services, request: HttpRequest): Promise<Reply> {
  const address = parseIdOrName<UserId>(request.pathParameters['username_or_id'] ?? '');
  const user = address && (await users.findWithProjects(address));
  if (user === undefined) {
    throw problems.notFound('user');
  }
  return jsonReply(200, toUserRecord(user));
}

export async function createUser(services: Services, request: HttpRequest): Promise<Reply> {
  const body = toNewUserBody(request.body);
  refuseLongPassword(body.password);
  await refuseTakenUsername(services, body, request.address);
  const hashing = await services.passwords.hash(body.password);
  if (hashing.kind === 'busy') {
    throw problems.busy();
  }
  const outcome = await services.users.insert({
    username: body.username,
    email: body.email,
    passwordHash: hashing.result,
    isAdmin: false,
    dateCreated: toTimestamp(services.clock()),
  });
  switch (outcome.kind) {
    case 'inserted':
      return jsonReply(201, toNewUserRecord(outcome.user), { 'Location': `/api/v1/users/${outcome.user.id}` });
    case 'username-taken': // in the meantime
      throw problems.usernameTaken();
  }
}

function refuseLongPassword(password: string): void {
  const message = findPasswordFault(password);
  if (message !== undefined) {
    throw problems.invalidBody([{ pointer: '/password', keyword: 'maxLength', message }]);
  }
}

/**
 * Spares the costly hash when the name is taken. The answer tells who has an account here, which the specification wants;
 * so that nobody tries names by the thousand, it counts like a failed sign-in of the address.
 */
async function refuseTakenUsername({ users, throttle }: Services, { username }: NewUserBody, address: string): Promise<void> {
  const retryAfterSeconds = throttle.secondsToWait({ address });
  if (retryAfterSeconds > 0) {
    throw problems.tooManyAttempts(retryAfterSeconds);
  }
  if ((await users.findByName(username)) !== undefined) {
    throttle.take({ address }); // and does not give the place back
    throw problems.usernameTaken();
  }
}

function toUserRecord(user: UserWithProjects) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    date_created: user.dateCreated,
    is_admin: user.isAdmin,
    projects: user.projects.map(toProjectRecord),
  };
}

function toNewUserRecord({ username, email, id, dateCreated }: User) {
  return { username, email, id, date_created: dateCreated };
}
