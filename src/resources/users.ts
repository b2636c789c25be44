/** `/api/v1/users` and `/api/v1/user`: everything that the API does with users, except their passwords. */
import { jsonBody, type BodyRule } from '../api/body.ts';
import { expectVersion, originOf, refuseFailed, refusePostponed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import {
  idOrName, nameSearch, pageRequest, paging, sortBy, sortOrder, toNameSearch,
} from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/refusal.ts';
import { changed, created, list, record, tagged, words, type Tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toNewPassword, toReader, type Client } from '../auth/client.ts';
import { toNetwork } from '../http/client-address.ts';
import type { HttpRequest } from '../http/message.ts';
import { boolean, object, optional, text, wordOf, type ObjectOf } from '../jsonschema/typed.ts';
import { toNameKey, type IdOrName } from '../model/name.ts';
import { NO_PASSWORD, type PasswordHash, type User, type UserId } from '../model/user.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { UserRepresentation } from '../stores/users.ts';
import { newEmail, newUser, newUsername, type PasswordRule } from './rules.ts';
import { toTokenRecord } from './tokens.ts';

interface UserSettings extends PasswordRule {
  readonly registration: 'open' | 'closed';
}

const userPatch = object({
  username: optional(newUsername),
  email: optional(newEmail),
  is_admin: optional(boolean()),
  disabled: optional(boolean()),
});

export function userOperations({ registration, ...rule }: UserSettings) {
  return {
    readCaller: operation({
      method: 'GET',
      path: '/api/v1/user',
      access: 'authenticated',
      scopes: ['full', 'read_only', 'identity'],
      replies: record,
      refuses: ['unauthenticated', 'busy'],
      async handle(services, { caller, request }) {
        const { user } = caller;
        const token = caller.signIn === 'token' ? toTokenRecord(caller.token) : null;
        const role = user.isAdmin ? 'administrator' : 'user';
        const members = JSON.stringify({ role, sign_in: caller.signIn, token }).slice(1);
        if (token?.scope === 'identity') { // a program with it learns who the owner is, no more
          return tagged({ json: `${JSON.stringify(withoutProjects(user)).slice(0, -1)},${members}` });
        }
        const found = await readVisible(services, { id: user.id }, caller, request);
        if (found === undefined || isRefusal(found)) {
          return found ?? refuse('unauthenticated'); // the user may have been deleted since the sign-in
        }
        return representation(services, { ...found, json: `${found.json.slice(0, -1)},${members}` }, caller);
      },
    }),

    listUsers: operation({
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      mayTakeLong: true,
      query: {
        ...nameSearch,
        role: wordOf(['administrator', 'user']),
        state: wordOf(['enabled', 'disabled', 'invited']),
        sort: sortBy('username', 'date_created'),
        ...paging,
      },
      replies: list('users'),
      refuses: ['invitedByAdministratorOnly'],
      async handle({ users }, { query, caller: { user: { isAdmin: isForAdministrator }, only } }) {
        const page = pageRequest(query);
        const { role, state } = query;
        const isInvited = state === 'invited';
        if (isInvited && !isForAdministrator) {
          return refuse('invitedByAdministratorOnly');
        }
        const found = await users.list({
          search: toNameSearch(query),
          isAdmin: role && role === 'administrator',
          isDisabled: isInvited ? undefined : state && state === 'disabled',
          isInvited,
          only,
          isForAdministrator,
          sort: sortOrder(query.sort),
          page,
        });
        return { page, found };
      },
    }),

    createUser: operation({
      method: 'POST',
      path: '/api/v1/users',
      access: registration === 'open' ? 'public' : 'administrator',
      body: newUserBody(rule),
      replies: created,
      refuses: [
        'usernameTaken', 'tooManyAttempts', 'busy', 'invalidBody', 'databaseUnavailable', 'storageFull',
        'unauthenticated', 'administratorOnly', // a caller may lose a right between the sign-in and the write
      ],
      async handle(services, { body: { username, password, email }, caller, request }) {
        const signedIn = caller ?? (await findAuthor(services, request));
        const author = isRefusal(signedIn) ? undefined : signedIn;
        if (password === undefined && author?.user.isAdmin !== true) {
          return isRefusal(signedIn) ? signedIn : refuse('invalidBody', [PASSWORD_MISSING]);
        }
        return limitNaming(services, request.address, async (secondsToWait) => {
          if (secondsToWait > 0) {
            return refuse('tooManyAttempts', secondsToWait);
          }
          const refuseTaken = async () =>
            await services.users.find({ name: username }) && refuse('usernameTaken', username);
          const hash = () =>
            password === undefined ? NO_PASSWORD : hashPassword(services, password, request, refuseTaken);
          // A taken name is refused before the costly hash, and again when its turn comes.
          const passwordHash = (await refuseTaken()) ?? (await hash());
          if (isRefusal(passwordHash)) {
            return passwordHash;
          }
          const origin = originOf(services, request, author);
          const user = { username, email, passwordHash, dateCreated: origin.at };
          const isForEverybody = caller === undefined && password !== undefined;
          const outcome = isForEverybody
            ? await services.users.register(user, origin)
            : await services.users.insert({ ...user, isAdmin: false }, origin);
          if (outcome.kind === 'refused') {
            return refuseFailed(outcome, { usernameTaken: username });
          }
          const { json, user: { id } } = outcome.result;
          return { json, location: `/api/v1/users/${id}` };
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
        const found = await readVisible(services, idOrName(path.username_or_id), caller, request);
        if (found === undefined || isRefusal(found)) {
          return found ?? refuse('noSuchUser');
        }
        return representation(services, found, caller);
      },
    }),

    updateUser: operation({
      method: 'PATCH',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      body: jsonBody(userPatch),
      replies: changed,
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'rightsByAdministratorOnly', 'passwordNeeded',
        'invalidBody', 'usernameTaken', 'tooManyAttempts', 'lastAdministrator', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, request }) {
        const origin = originOf(services, request, caller);
        const { username, email, is_admin: isAdmin, disabled: isDisabled } = body;
        const user = idOrName<UserId>(path.username_or_id);
        const expected = await expectUserVersion(services, user, caller, request);
        const update = async (secondsToWait: number) => {
          const outcome = await services.userChanges.update(
            user, { username, email, isAdmin, isDisabled }, origin,
            { expected, isNameLimited: secondsToWait > 0 },
          );
          return outcome.kind === 'refused'
            ? refuseFailed(outcome, { usernameTaken: username, tooManyAttempts: secondsToWait })
            : representation(services, outcome.result, caller);
        };
        return username === undefined ? update(0) : limitNaming(services, request.address, update);
      },
    }),

    deleteUser: operation({
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      query: {
        owned_projects: wordOf(['refuse', 'delete', 'transfer']),
        new_owner: text(),
      },
      replies: words({ user_status: 'deleted' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidParameter',
        'unknownOwner', 'projectsOwned', 'transferByAdministratorOnly', 'tooManyProjects',
        'lastAdministrator', 'preconditionFailed',
      ],
      async handle(services, { path, query, caller, request }) {
        const origin = originOf(services, request, caller);
        const { owned_projects: kind = 'refuse', new_owner: newOwner = '' } = query;
        if ((kind === 'transfer') !== (newOwner !== '')) {
          return refuse('invalidParameter', newOwnerFault(kind === 'transfer'
            ? 'is required with owned_projects=transfer'
            : 'must be absent unless owned_projects is "transfer"'));
        }
        const owned = kind === 'transfer' ? { kind, newOwner } : { kind };
        const user = idOrName<UserId>(path.username_or_id);
        const expected = await expectUserVersion(services, user, caller, request);
        const outcome = await services.userChanges.delete(user, owned, origin, expected);
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, {
            unknownOwner: newOwner, invalidParameter: newOwnerFault('must be another user'),
          })
          : undefined;
      },
    }),
  };
}

const newOwnerFault = (message: string) => [{ parameter: 'new_owner', keyword: 'required', message }];

/**
 * Reads a user whom the caller may know of. With `DIRECTORY=closed`, other users and their projects do not
 * exist for plain users (`Caller.only`): every answer about them is the answer about an unknown name. One
 * exception: a taken name is still 422, which does not say whose it is. A long record, of up to 256 KiB of
 * projects, waits in the queue of lists.
 */
async function readVisible(
  { users, reads }: Services, ref: IdOrName<UserId>, { only, user }: Caller, client: Client,
): Promise<UserRepresentation | undefined | Refusal<'busy'>> {
  const short = await users.findShortRepresentation(ref, only);
  if (short !== 'long') {
    return short;
  }
  const outcome = await reads.run(() => users.findRepresentation(ref), toReader(client, user));
  return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
}

/**
 * The tag includes the version only for callers who may change the record: others must not learn of a new
 * password from the tag. Only administrators learn who is invited and has not set a password yet.
 */
function representation(
  { basePath }: Services,
  { id: userId, json, version, username: name, hasMoreProjects, isInvited }: UserRepresentation,
  { user: reader }: Caller,
): Tagged {
  const isChangeable = reader.isAdmin || reader.id === userId;
  const link = `<${basePath}/api/v1/projects?owner=${encodeURIComponent(name)}>; rel="related"`; // RFC 8288
  return {
    ...tagged(isChangeable ? { json, version } : { json }),
    ...(reader.isAdmin && { json: `${json.slice(0, -1)},"invited":${isInvited}}` }),
    ...(hasMoreProjects && { headers: { 'Link': link } }),
  };
}

function withoutProjects({ id, username, email, dateCreated, isAdmin, isDisabled }: User) {
  return { id, username, email, date_created: dateCreated, is_admin: isAdmin, disabled: isDisabled };
}

/** True if the name or the id in a path is the user's. */
export function isUser(ref: IdOrName<UserId>, { id, username }: User): boolean {
  return ref !== undefined && ('id' in ref ? ref.id === id : toNameKey(ref.name) === toNameKey(username));
}

/** Reads the account with its projects only if the request has preconditions. */
export function expectUserVersion(
  services: Services, ref: IdOrName<UserId>, caller: Caller, request: HttpRequest,
): Promise<ExpectedVersion> {
  return expectVersion(request, async () => {
    const mayChange = caller.user.isAdmin || isUser(ref, caller.user);
    const found = mayChange ? await services.users.findRepresentation(ref) : undefined;
    return found && { ...representation(services, found, caller), version: found.version };
  });
}

const PASSWORD_MISSING = { pointer: '/password', keyword: 'required', message: 'is required' };

/**
 * An administrator may leave the password out. This is an invitation: the user sets the password with a
 * password link. Only a request with credentials can be an invitation, and the handler decides.
 */
function newUserBody(rule: PasswordRule): BodyRule<ObjectOf<ReturnType<typeof invitedUser>>> {
  const registered = jsonBody(object(newUser(rule)));
  const invited = jsonBody(object(invitedUser(rule)));
  return {
    ...invited,
    read: (bytes, headers) =>
      (headers.authorization === undefined ? registered : invited).read(bytes, headers),
  };
}

function invitedUser(rule: PasswordRule) {
  const { username, password, email } = newUser(rule);
  return { username, password: optional(password), email };
}

/**
 * Valid credentials that come with an open registration make their user its author. Other credentials are
 * ignored, and so are tokens that may only read and tokens that a program holds for its user. A wrong
 * password counts for the throttle as everywhere.
 */
async function findAuthor(
  { authenticate }: Services, request: HttpRequest,
): Promise<Caller | Refusal<'tooManyAttempts' | 'busy'> | undefined> {
  const { authorization } = request.headers;
  const outcome = authorization === undefined ? undefined : await authenticate(authorization, request);
  if (outcome?.kind !== 'authenticated') {
    return outcome === undefined || outcome.kind === 'rejected' ? undefined : refusePostponed(outcome);
  }
  const { caller } = outcome;
  const hasAllRights = caller.signIn === 'password'
    || (caller.token.scope === 'full' && caller.token.audience === undefined);
  return hasAllRights ? caller : undefined;
}

/**
 * Limits how often an address may try names that are taken, because the answer tells which usernames exist.
 * Beyond the limit, a free name is refused as well: the status would tell that it is free. The limit applies
 * to new names only, so nobody can lock out users with it. An attempt counts until its name proves to be
 * free, so that parallel attempts learn no more than sequential ones.
 *
 * @param attempt - Refuses if there are seconds to wait.
 */
async function limitNaming<Outcome>(
  { takenNames }: Services, address: string, attempt: (secondsToWait: number) => Promise<Outcome>,
): Promise<Outcome> {
  const network = toNetwork(address);
  const secondsToWait = takenNames.secondsToWait(network);
  const release = takenNames.reserve(network);
  let isTaken = false;
  try {
    const outcome = await attempt(secondsToWait);
    isTaken = isRefusal(outcome) && outcome.refused === 'usernameTaken';
    return outcome;
  } finally {
    if (!isTaken) {
      release();
    }
  }
}

/** @param findObstacle - Called when the place in the queue comes. */
export async function hashPassword<Obstacle extends Refusal = never>(
  { passwords }: Services, password: string, client: Client,
  findObstacle?: () => Promise<Obstacle | undefined>,
): Promise<PasswordHash | Obstacle | Refusal<'busy'>> {
  const hashing = await passwords.hash(password, toNewPassword(client), findObstacle);
  return hashing.kind === 'busy' ? refuse('busy', hashing.retryAfterSeconds) : hashing.result;
}
