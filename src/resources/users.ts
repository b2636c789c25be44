/** The operations on users at `/api/v1/users` and `/api/v1/user`, except the operations on passwords. */
import { jsonBody } from '../api/body.ts';
import { operation } from '../api/operation.ts';
import { listQuery, nameSearch, toListRequest } from '../api/parameters.ts';
import { isRefusal, refuse, resultOf, type Refusal } from '../api/problems.ts';
import { changed, created, expectVersion, list, record, words, type Shown } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toReader } from '../auth/client.ts';
import { toNetwork } from '../http/client-address.ts';
import type { HttpRequest } from '../http/message.ts';
import { boolean, object, optional, text, wordOf } from '../jsonschema/schema.ts';
import { idOrName, toNameKey, type IdOrName } from '../model/name.ts';
import { NO_PASSWORD, type UserId } from '../model/user.ts';
import type { UserRepresentation } from '../stores/users.ts';
import { newEmail, newUser, newUsername } from './rules.ts';
import { toTokenRecord } from './tokens.ts';

export function userOperations(registration: 'open' | 'closed', passwordLengthMin: number) {
  return {
    readCaller: operation({
      method: 'GET',
      path: '/api/v1/user',
      access: 'authenticated',
      scopes: ['full', 'read_only', 'identity'],
      replies: record,
      refuses: ['unauthenticated', 'busy'],
      async handle(services, { caller, request }) {
        const { id, username, email, dateCreated, isAdmin, isDisabled: disabled } = caller.user;
        const token = caller.token ? toTokenRecord(caller.token) : null;
        const members = { role: isAdmin ? 'administrator' : 'user', sign_in: caller.signIn, token };
        if (token?.scope === 'identity') { // this token shows who its owner is, and nothing else
          const user = { id, username, email, date_created: dateCreated, is_admin: isAdmin, disabled };
          return { json: JSON.stringify({ ...user, ...members }) };
        }
        return (await findShown(services, { id }, caller, request, members))
          ?? refuse('unauthenticated'); // the user was deleted after the sign-in
      },
    }),

    listUsers: operation({
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      query: {
        ...nameSearch,
        role: wordOf(['administrator', 'user']),
        state: wordOf(['enabled', 'disabled', 'invited']),
        ...listQuery('username', 'date_created'),
      },
      replies: list('users'),
      refuses: ['invitedByAdministratorOnly'],
      async handle({ users }, { query, caller: { user: { isAdmin: isForAdministrator }, visibleUserId } }) {
        const { role, state } = query;
        return state === 'invited' && !isForAdministrator
          ? refuse('invitedByAdministratorOnly')
          : users.list({ ...toListRequest(query), role, state, visibleUserId, isForAdministrator });
      },
    }),

    createUser: operation({
      method: 'POST',
      path: '/api/v1/users',
      access: registration === 'open' ? 'public' : 'administrator',
      body: newUserBody(passwordLengthMin),
      replies: created('/api/v1/users'),
      refuses: [
        'usernameTaken', 'tooManyAttempts', 'busy', 'invalidBody', 'databaseUnavailable', 'storageFull',
        'unauthenticated', 'administratorOnly', // for a caller who loses rights after the sign-in
      ],
      async handle(services, { body: { username, password, email }, caller, origin, request }) {
        const author = caller ?? (await findAuthor(services, request));
        const signedIn = isRefusal(author) ? undefined : author;
        if (password === undefined && signedIn?.user.isAdmin !== true) {
          return isRefusal(author) ? author : refuse('invalidBody', [PASSWORD_MISSING]);
        }
        return limitNaming(services, request.address, async () => {
          const { users, passwords } = services;
          if (await users.find({ name: username })) {
            return refuse('usernameTaken'); // avoids the slow hashing of the password
          }
          const passwordHash = password === undefined
            ? NO_PASSWORD
            : resultOf(await passwords.hash(password, request));
          if (isRefusal(passwordHash)) {
            return passwordHash;
          }
          const by = caller === undefined && password !== undefined ? 'anybody' : 'administrator';
          const user = { username, email, passwordHash, isAdmin: false };
          return resultOf(await users.insert(user, origin(signedIn), by));
        });
      },
    }),

    readUser: operation({
      method: 'GET',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      replies: record,
      refuses: ['noSuchUser', 'busy'],
      async handle(services, { path, caller, request }) {
        return (await findShown(services, idOrName(path.username_or_id), caller, request))
          ?? refuse('noSuchUser');
      },
    }),

    updateUser: operation({
      method: 'PATCH',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      body: jsonBody(object({
        username: optional(newUsername),
        email: optional(newEmail),
        is_admin: optional(boolean()),
        disabled: optional(boolean()),
      })),
      replies: changed,
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'rightsByAdministratorOnly', 'passwordNeeded',
        'usernameTaken', 'tooManyAttempts', 'lastAdministrator', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, origin, request }) {
        const { username, email, is_admin: isAdmin, disabled: isDisabled } = body;
        const user = idOrName<UserId>(path.username_or_id);
        const update = async () => {
          const read = () => services.users.findRepresentation(user, caller.visibleUserId);
          const expected = await expectVersion(request, read);
          const patch = { username, email, isAdmin, isDisabled };
          const updated = resultOf(await services.userChanges.update(user, patch, origin(), expected));
          return isRefusal(updated) ? updated : show(services, updated, caller);
        };
        // Some clients send the whole record back, so a request with the caller's own name is not limited.
        const isNewName = username !== undefined && toNameKey(username) !== toNameKey(caller.user.username);
        return isNewName ? limitNaming(services, request.address, update) : update();
      },
    }),

    deleteUser: operation({
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      query: { owned_projects: wordOf(['refuse', 'delete', 'transfer']), new_owner: text() },
      replies: words({ user_status: 'deleted' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidParameter',
        'unknownOwner', 'projectsOwned', 'transferByAdministratorOnly', 'tooManyProjects',
        'lastAdministrator', 'preconditionFailed',
      ],
      async handle({ users, userChanges }, { path, query, caller: { visibleUserId }, origin, request }) {
        const { owned_projects: kind = 'refuse', new_owner: newOwner } = query;
        if ((kind === 'transfer') !== (newOwner !== undefined)) {
          return refuseNewOwner('is required with owned_projects=transfer, and refused in other requests');
        }
        const user = idOrName<UserId>(path.username_or_id);
        const expected = await expectVersion(request, () => users.findRepresentation(user, visibleUserId));
        const outcome = await userChanges.delete(user, { kind, newOwner }, origin(), expected);
        return outcome.kind === 'changed' ? undefined
          : outcome.reason === 'invalidParameter' ? refuseNewOwner('must be another user')
          : resultOf(outcome);
      },
    }),
  };
}

const refuseNewOwner = (message: string) =>
  refuse('invalidParameter', [{ parameter: 'new_owner', keyword: 'required', message }]);

/**
 * Finds nothing if `DIRECTORY=closed` hides the user from the caller. If the projects of the user take more
 * than 4 KiB, the request waits in the queue of long reads.
 */
async function findShown(
  services: Services, ref: IdOrName<UserId>, caller: Caller, request: HttpRequest, members?: object,
) {
  const { users, queues } = services;
  const { visibleUserId, user } = caller;
  const short = await users.findShortRepresentation(ref, visibleUserId);
  const read = () => users.findRepresentation(ref, visibleUserId);
  const found = short === 'long' ? resultOf(await queues.reads.run(read, toReader(request, user))) : short;
  return found === undefined || isRefusal(found) ? found : show(services, found, caller, members);
}

/**
 * If the caller is not allowed to change the user, the entity tag does not depend on the version, because a
 * new tag could reveal that the password has changed. Only administrators learn which users are invited.
 */
function show(
  { basePath }: Services,
  { id, json, version, username, hasMoreProjects, isInvited }: UserRepresentation,
  { user: { id: readerId, isAdmin } }: Caller,
  members?: object,
): Shown {
  const tagged = members ? extend(json, members) : json;
  const projects = `${basePath}/api/v1/projects?owner=${encodeURIComponent(username)}`;
  return {
    json: isAdmin ? extend(tagged, { invited: isInvited }) : tagged,
    tagged, // the tag ignores `invited`, so administrators and the user get the same tag
    ...((isAdmin || readerId === id) && { version }),
    ...(hasMoreProjects && { headers: { 'Link': `<${projects}>; rel="related"` } }),
  };
}

/** @returns The JSON object with `members` added at the end. */
const extend = (json: string, members: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;

const PASSWORD_MISSING = { pointer: '/password', keyword: 'required', message: 'is required' };

/**
 * If a request has no credentials, its body must contain a password. A request with credentials can be an
 * invitation, which needs no password. The handler checks that the caller who invites is an administrator.
 */
function newUserBody(passwordLengthMin: number) {
  const members = newUser(passwordLengthMin);
  const registration = jsonBody(object(members));
  const invitation = jsonBody(object({ ...members, password: optional(members.password) }));
  const read: typeof invitation.read = (bytes, headers) =>
    (headers.authorization === undefined ? registration : invitation).read(bytes, headers);
  return { ...invitation, read };
}

/** For the audit trail, finds out who sent a registration. Wrong credentials do not stop a registration. */
async function findAuthor({ authenticate }: Services, request: HttpRequest) {
  const caller = resultOf(await authenticate(request.headers.authorization, request));
  if (caller === undefined || isRefusal(caller) || caller.token === undefined) {
    return caller;
  }
  const { scope, audience } = caller.token;
  return scope === 'full' && audience === undefined ? caller : undefined;
}

/**
 * Limits how often the clients on a network can try to choose a taken username, because the responses reveal
 * which usernames exist. After too many attempts, the service refuses all usernames, taken or not, so a
 * refusal reveals nothing. An attempt counts when it starts, so parallel attempts reveal no more than
 * sequential attempts.
 */
async function limitNaming<Answer>(
  { takenNames }: Services, address: string, attempt: () => Promise<Answer>,
): Promise<Answer | Refusal<'tooManyAttempts'>> {
  const network = toNetwork(address);
  const secondsToWait = takenNames.secondsToWait(network);
  return secondsToWait > 0
    ? refuse('tooManyAttempts', secondsToWait)
    : takenNames.attempt(network, attempt, (answer) =>
      isRefusal(answer) && answer.refused === 'usernameTaken');
}
