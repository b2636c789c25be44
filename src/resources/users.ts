/** `/api/v1/users`: from top to bottom, everything that the API does with users. */
import type { IncomingHttpHeaders } from 'node:http';
import { compileMembers, jsonBody } from '../api/body.ts';
import { LOST_RIGHTS, originOf, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { nameSearch, pageRequest, paging, parameter, sortBy, toNameSearch } from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import { changed, created, done, list, record } from '../api/replies.ts';
import type { Validate } from '../jsonschema/compile.ts';
import { boolean, object, oneOf, optional, text } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { NO_PASSWORD } from '../model/user.ts';
import type { OwnedProjects } from '../stores/user-deletion.ts';
import { expectUserVersion, limitNaming, representation, userInPath } from './accounts.ts';
import { readVisible } from './directory.ts';
import { findAuthor, findInviter } from './invitations.ts';
import { newEmail, newUsername, usernameRule } from './names.ts';
import { hashPassword, newPassword, passwordRule, type PasswordRule } from './passwords.ts';

interface UserSettings extends PasswordRule {
  readonly registration: 'open' | 'closed';
}

const newUserMembers = (rule: PasswordRule) => ({
  username: newUsername,
  password: newPassword(rule),
  email: newEmail,
});

const NEW_USER_RULES = { username: usernameRule, password: passwordRule };

/** Checks an account by the rules of a registration. */
export function compileNewUser(rule: PasswordRule): Validate {
  return compileMembers(object(newUserMembers(rule)), NEW_USER_RULES);
}

/** Only administrators may leave the password out; `findInviter` decides for requests with credentials. */
function newUserBody(rule: PasswordRule) {
  const members = { ...newUserMembers(rule), password: optional(newPassword(rule)) };
  const invited = jsonBody(object(members), { rules: NEW_USER_RULES });
  const registered = jsonBody(object(newUserMembers(rule)), { rules: NEW_USER_RULES });
  return {
    ...invited,
    read: (bytes: Buffer, headers: IncomingHttpHeaders) =>
      (headers.authorization === undefined ? registered : invited).read(bytes, headers),
  };
}

const userPatch = object({
  username: optional(newUsername),
  email: optional(newEmail),
  is_admin: optional(boolean()),
  disabled: optional(boolean()),
});

const userFilter = {
  role: parameter(oneOf(['administrator', 'user'])),
  state: parameter(oneOf(['enabled', 'disabled', 'invited'])),
};

export function userOperations({ registration, ...rule }: UserSettings) {
  return {
    listUsers: operation({
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      mayTakeLong: true,
      query: {
        ...nameSearch,
        ...userFilter,
        sort: sortBy('username', 'date_created'),
        ...paging,
      },
      replies: list('users'),
      refuses: ['invitedByAdministratorOnly'],
      async handle(services, { query, caller, origin }) {
        const page = pageRequest(query);
        const { role, state, sort } = query;
        const isForAdministrator = caller.user.isAdmin;
        if (state === 'invited' && !isForAdministrator) {
          return refuse('invitedByAdministratorOnly');
        }
        const filter = {
          isAdmin: role && role === 'administrator',
          ...(state === 'invited'
            ? { isDisabled: undefined, isInvited: true as const }
            : { isDisabled: state && state === 'disabled' }),
        };
        const found = await services.users.list({
          search: toNameSearch(query), filter, page, only: origin.only, isForAdministrator,
          ...(sort && { sort }),
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
        ...LOST_RIGHTS,
      ],
      async handle(services, { body, caller, request }) {
        const { username: name, password } = body;
        const author = password === undefined
          ? await findInviter(services, caller, request)
          : caller ?? (await findAuthor(services, request));
        if (isRefusal(author)) {
          return author;
        }
        return limitNaming(services, request.address, async (secondsToWait) => {
          if (secondsToWait > 0) {
            return refuse('tooManyAttempts', secondsToWait);
          }
          const refuseTaken = async () =>
            await services.users.find({ name }) === undefined ? undefined : refuse('usernameTaken', name);
          const taken = await refuseTaken(); // before the costly hash
          if (taken !== undefined) {
            return taken;
          }
          const passwordHash = password === undefined
            ? NO_PASSWORD
            : await hashPassword(services, password, request, refuseTaken);
          if (isRefusal(passwordHash)) {
            return passwordHash; // too busy, or the name was taken while this request waited
          }
          const newUser = {
            username: name, email: body.email, passwordHash, dateCreated: toTimestamp(services.clock()),
          };
          const origin = originOf(services, request, author);
          const isForEverybody = caller === undefined && password !== undefined;
          const outcome = isForEverybody
            ? await services.users.register(newUser, origin)
            : await services.users.insert({ ...newUser, isAdmin: false }, origin);
          if (outcome.kind === 'refused') {
            return refuseFailed(outcome, { usernameTaken: name });
          }
          const { representation: { json }, user } = outcome.result;
          return { json, location: `/api/v1/users/${user.id}` };
        });
      },
    }),

    readUser: operation({
      method: 'GET',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      replies: record,
      refuses: ['noSuchUser', 'busy'],
      async handle(services, { path, caller, origin, request }) {
        const found = await readVisible(services, path.username_or_id, origin, request);
        if (found === undefined || isRefusal(found)) {
          return found ?? refuse('noSuchUser');
        }
        return representation(found, caller);
      },
    }),

    updateUser: operation({
      method: 'PATCH',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      body: jsonBody(userPatch, { rules: { username: usernameRule } }),
      replies: changed,
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'rightsByAdministratorOnly', 'passwordNeeded',
        'invalidBody', 'usernameTaken', 'tooManyAttempts', 'lastAdministrator', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, origin, request }) {
        const { username, email, is_admin: isAdmin, disabled: isDisabled } = body;
        const expected = await expectUserVersion(services, path.username_or_id, caller, request);
        const update = async (secondsToWait: number) => {
          const outcome = await services.userChanges.update(
            path.username_or_id, { username, email, isAdmin, isDisabled }, origin,
            { expected, isNameLimited: secondsToWait > 0 },
          );
          return outcome.kind === 'refused'
            ? refuseFailed(outcome, { usernameTaken: username, tooManyAttempts: secondsToWait })
            : representation(outcome.result, caller);
        };
        return username === undefined ? update(0) : limitNaming(services, request.address, update);
      },
    }),

    deleteUser: operation({
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      query: {
        owned_projects: parameter(oneOf(['refuse', 'delete', 'transfer'])),
        new_owner: parameter(text()),
      },
      replies: done({ user_status: 'deleted' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidParameter',
        'unknownOwner', 'projectsOwned', 'transferByAdministratorOnly', 'tooManyProjects',
        'lastAdministrator', 'preconditionFailed',
      ],
      async handle(services, { path, query, caller, origin, request }) {
        const owned = readOwnedProjects(query.owned_projects ?? 'refuse', query.new_owner);
        if (isRefusal(owned)) {
          return owned;
        }
        const expected = await expectUserVersion(services, path.username_or_id, caller, request);
        const outcome = await services.userDeletion.delete(path.username_or_id, owned, origin, expected);
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, {
            unknownOwner: query.new_owner, invalidParameter: toNewOwnerFault('must be another user'),
          })
          : undefined;
      },
    }),
  };
}

function readOwnedProjects(
  kind: OwnedProjects['kind'], newOwner: string | undefined,
): OwnedProjects | Refusal<'invalidParameter'> {
  if (kind !== 'transfer') {
    return newOwner === undefined
      ? { kind }
      : refuse('invalidParameter', toNewOwnerFault('must be absent unless owned_projects is "transfer"'));
  }
  return newOwner === undefined
    ? refuse('invalidParameter', toNewOwnerFault('is required with owned_projects=transfer'))
    : { kind, newOwner };
}

function toNewOwnerFault(message: string) {
  return [{ parameter: 'new_owner', keyword: 'required', message }];
}
