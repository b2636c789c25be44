/** `/api/v1/users` and `/api/v1/user`: everything that the API does with users, except passwords. */
import { jsonBody } from '../api/body.ts';
import { expectVersion, originOf } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { listQuery, nameSearch, toListRequest, toNameSearch } from '../api/parameters.ts';
import { isRefusal, refuse, refusePostponed, resultOf, type Refusal } from '../api/refusal.ts';
import { changed, created, list, record, tagged, words, type Tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toNewPassword, toReader, type Client } from '../auth/client.ts';
import { toNetwork } from '../http/client-address.ts';
import type { HttpRequest } from '../http/message.ts';
import { boolean, object, optional, text, wordOf } from '../jsonschema/typed.ts';
import { idOrName, toNameKey, type IdOrName } from '../model/name.ts';
import { NO_PASSWORD, type User, type UserId } from '../model/user.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { UserRepresentation } from '../stores/users.ts';
import { newEmail, newUser, newUsername, type PasswordRule } from './rules.ts';
import { toTokenRecord } from './tokens.ts';

const userPatch = object({
  username: optional(newUsername),
  email: optional(newEmail),
  is_admin: optional(boolean()),
  disabled: optional(boolean()),
});

export function userOperations(
  { registration, ...rule }: PasswordRule & { readonly registration: 'open' | 'closed' },
) {
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
        const token = caller.signIn === 'token' ? toTokenRecord(caller.token) : null;
        const members = { role: isAdmin ? 'administrator' : 'user', sign_in: caller.signIn, token };
        if (token?.scope === 'identity') { // a token of this scope tells only who its owner is
          const user = { id, username, email, date_created: dateCreated, is_admin: isAdmin, disabled };
          return tagged({ json: JSON.stringify({ ...user, ...members }) });
        }
        const found = await readVisible(services, { id }, caller, request);
        if (found === undefined || isRefusal(found)) {
          return found ?? refuse('unauthenticated'); // the user was deleted after the sign-in
        }
        return tagUser(services, { ...found, json: extend(found.json, members) }, caller);
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
        ...listQuery('username', 'date_created'),
      },
      replies: list('users'),
      refuses: ['invitedByAdministratorOnly'],
      async handle({ users }, { query, caller: { user: { isAdmin: isForAdministrator }, visibleUserId } }) {
        const { role, state } = query;
        const isInvited = state === 'invited';
        if (isInvited && !isForAdministrator) {
          return refuse('invitedByAdministratorOnly');
        }
        return users.list({
          ...toListRequest(query),
          search: toNameSearch(query),
          isAdmin: role && role === 'administrator',
          isDisabled: isInvited ? undefined : state && state === 'disabled',
          isInvited,
          visibleUserId,
          isForAdministrator,
        });
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
        'unauthenticated', 'administratorOnly', // for a caller who loses a right after the sign-in
      ],
      async handle(services, { body: { username, password, email }, caller, request }) {
        const signedIn = caller ?? (await findAuthor(services, request));
        const author = isRefusal(signedIn) ? undefined : signedIn;
        if (password === undefined && author?.user.isAdmin !== true) {
          return isRefusal(signedIn) ? signedIn : refuse('invalidBody', [PASSWORD_MISSING]);
        }
        return limitNaming(services, request.address, async () => {
          const { users, passwords } = services;
          if (await users.find({ name: username })) {
            return refuse('usernameTaken'); // refuses before the costly hash
          }
          const passwordHash = password === undefined
            ? NO_PASSWORD
            : resultOf(await passwords.hash(password, toNewPassword(request)));
          if (isRefusal(passwordHash)) {
            return passwordHash;
          }
          const origin = originOf(services, request, author);
          const user = { username, email, passwordHash };
          const isForEverybody = caller === undefined && password !== undefined;
          const outcome = isForEverybody
            ? await users.register(user, origin)
            : await users.insert({ ...user, isAdmin: false }, origin);
          if (outcome.kind === 'refused') {
            return refuse(outcome.reason);
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
        return tagUser(services, found, caller);
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
      async handle(services, { path, body, caller, origin, request }) {
        const { username, email, is_admin: isAdmin, disabled: isDisabled } = body;
        const user = idOrName<UserId>(path.username_or_id);
        const update = async () => {
          const expected = await expectUserVersion(services, user, caller, request);
          const outcome = await services.userChanges.update(
            user, { username, email, isAdmin, isDisabled }, origin(), expected,
          );
          return outcome.kind === 'refused'
            ? refuse(outcome.reason)
            : tagUser(services, outcome.result, caller);
        };
        // The caller's own name is no guess at taken names: many clients send the whole record back.
        const isNewName = username !== undefined && toNameKey(username) !== toNameKey(caller.user.username);
        return isNewName ? limitNaming(services, request.address, update) : update();
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
      async handle(services, { path, query, caller, origin, request }) {
        const { owned_projects: kind = 'refuse', new_owner: newOwner = '' } = query;
        if ((kind === 'transfer') !== (newOwner !== '')) {
          const message = 'is required with owned_projects=transfer, and refused without it';
          return refuse('invalidParameter', newOwnerFault(message));
        }
        const owned = kind === 'transfer' ? { kind, newOwner } : { kind };
        const user = idOrName<UserId>(path.username_or_id);
        const expected = await expectUserVersion(services, user, caller, request);
        const outcome = await services.userChanges.delete(user, owned, origin(), expected);
        if (outcome.kind === 'changed') {
          return undefined;
        }
        return outcome.reason === 'invalidParameter'
          ? refuse('invalidParameter', newOwnerFault('must be another user'))
          : refuse(outcome.reason);
      },
    }),
  };
}

const newOwnerFault = (message: string) => [{ parameter: 'new_owner', keyword: 'required', message }];

/**
 * With `DIRECTORY=closed`, a plain user gets the same answer for a hidden user as for an unknown user. Only a
 * taken username tells of a hidden user: the response to a taken username is 422. The read of a long record,
 * of up to 256 KiB, waits in the queue of long reads.
 */
async function readVisible(
  { users, reads }: Services, ref: IdOrName<UserId>, { visibleUserId, user }: Caller, client: Client,
): Promise<UserRepresentation | undefined | Refusal<'busy'>> {
  const short = await users.findShortRepresentation(ref, visibleUserId);
  if (short !== 'long') {
    return short;
  }
  const read = () => users.findRepresentation(ref, visibleUserId);
  return resultOf(await reads.run(read, toReader(client, user)));
}

/**
 * The entity tag of a user includes the version only for callers who may change the record, because a changed
 * tag would tell other callers of a new password. Only administrators learn which users are invited.
 */
function tagUser(
  { basePath }: Services,
  { id: userId, json, version, username: name, hasMoreProjects, isInvited }: UserRepresentation,
  { user: reader }: Caller,
): Tagged {
  const isChangeable = reader.isAdmin || reader.id === userId;
  const link = `<${basePath}/api/v1/projects?owner=${encodeURIComponent(name)}>; rel="related"`; // RFC 8288
  return {
    ...tagged(isChangeable ? { json, version } : { json }),
    ...(reader.isAdmin && { json: extend(json, { invited: isInvited }) }),
    ...(hasMoreProjects && { headers: { 'Link': link } }),
  };
}

/** @returns The text of the JSON object, with `members` added at its end. */
function extend(json: string, members: object): string {
  return `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
}

export function isUser(ref: IdOrName<UserId>, { id, username }: User): boolean {
  return 'id' in ref ? ref.id === id : toNameKey(ref.name) === toNameKey(username);
}

export function expectUserVersion(
  services: Services, ref: IdOrName<UserId>, caller: Caller, request: HttpRequest,
): Promise<ExpectedVersion> {
  return expectVersion(request, async () => {
    const mayChange = caller.user.isAdmin || isUser(ref, caller.user);
    const found = mayChange ? await services.users.findRepresentation(ref) : undefined;
    return found && tagUser(services, found, caller);
  });
}

const PASSWORD_MISSING = { pointer: '/password', keyword: 'required', message: 'is required' };

/**
 * An administrator may leave the password out, to invite the user. In a request without credentials, the
 * password is required; in a request with credentials, the handler checks whether the caller is an
 * administrator.
 */
function newUserBody(rule: PasswordRule) {
  const members = newUser(rule);
  const registered = jsonBody(object(members));
  const invited = jsonBody(object({ ...members, password: optional(members.password) }));
  const read: typeof invited.read = (bytes, headers) =>
    (headers.authorization === undefined ? registered : invited).read(bytes, headers);
  return { ...invited, read };
}

/** Finds the user whom the audit trail names as the author of an open registration. */
async function findAuthor(
  { authenticate }: Services, request: HttpRequest,
): Promise<Caller | Refusal<'tooManyAttempts' | 'busy'> | undefined> {
  const outcome = await authenticate(request.headers.authorization, request);
  if (outcome.kind !== 'authenticated') {
    return outcome.kind === 'rejected' ? undefined : refusePostponed(outcome);
  }
  const { caller } = outcome;
  const hasAllRights = caller.signIn === 'password'
    || (caller.token.scope === 'full' && caller.token.audience === undefined);
  return hasAllRights ? caller : undefined;
}

/**
 * Limits how often an address may try taken names, because the answers tell which usernames exist. Beyond the
 * limit, free names are refused, too: an answer to a free name would tell that the name is free. This limit
 * does not apply to sign-ins, so it locks no user out. Each attempt counts from its start, so that parallel
 * attempts learn no more than sequential attempts.
 */
async function limitNaming<Outcome>(
  { takenNames }: Services, address: string, attempt: () => Promise<Outcome>,
): Promise<Outcome | Refusal<'tooManyAttempts'>> {
  const network = toNetwork(address);
  const secondsToWait = takenNames.secondsToWait(network);
  if (secondsToWait > 0) {
    return refuse('tooManyAttempts', secondsToWait);
  }
  const release = takenNames.reserve(network);
  let isTaken = false;
  try {
    const outcome = await attempt();
    isTaken = isRefusal(outcome) && outcome.refused === 'usernameTaken';
    return outcome;
  } finally {
    if (!isTaken) {
      release();
    }
  }
}
