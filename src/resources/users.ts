/** `/api/v1/users`: from top to bottom, everything that the API does with users. */
import type { IncomingHttpHeaders } from 'node:http';
import { compileMembers, jsonBody } from '../api/body.ts';
import { LOST_RIGHTS, onlyChanges, originOf, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { nameSearch, pageRequest, paging, parameter, sortBy, toNameSearch } from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import { changed, created, done, list, record, tagged, type Tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { Validate } from '../jsonschema/compile.ts';
import { boolean, object, oneOf, optional, text } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { NO_PASSWORD, type User } from '../model/user.ts';
import type { UserValues } from '../stores/user-changes.ts';
import type { OwnedProjects } from '../stores/user-deletion.ts';
import type { UserRepresentation } from '../stores/users.ts';
import { expectUserVersion, findChangeable, refuseTakenUsername, userInPath } from './accounts.ts';
import { findVisible, readVisible, onlyVisible } from './directory.ts';
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
      async handle(services, { query, caller }) {
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
          search: toNameSearch(query), filter, page, only: onlyVisible(services, caller),
          isForAdministrator,
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
        const refuseTaken = () => refuseTakenUsername(services, name, request.address);
        const taken = await refuseTaken();
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
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, { usernameTaken: name })
          : { json: outcome.result.representation.json, location: `/api/v1/users/${outcome.result.user.id}` };
      },
    }),

    readUser: operation({
      method: 'GET',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      replies: record,
      refuses: ['noSuchUser', 'busy'],
      async handle(services, { path, caller, request }) {
        const found = await readVisible(services, path.username_or_id, caller, request);
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
        'tooManyConflicts',
      ],
      async handle(services, { path, body, caller, origin, request }) {
        const current = await findChangeable(services, path.username_or_id, caller);
        if (isRefusal(current)) {
          return current;
        }
        const { username: newName, email: newEmail, is_admin: isAdmin, disabled: isDisabled } = body;
        if ((isAdmin !== undefined || isDisabled !== undefined) && !caller.user.isAdmin) {
          return refuse('rightsByAdministratorOnly');
        }
        const to = onlyChanges<UserValues>(
          current, { username: newName, email: newEmail, isAdmin, isDisabled },
        );
        const isPower = to.isAdmin !== undefined || (to.isDisabled !== undefined && current.isAdmin);
        if ((to.username !== undefined || isPower) && caller.signIn === 'token') {
          // A stolen token must neither lock its owner out nor make lasting power.
          return refuse('passwordNeeded');
        }
        // Before the preconditions: a stale tag must not turn this into a search for taken names.
        const taken = to.username
          && (await refuseTakenUsername(services, to.username, request.address, current));
        if (isRefusal(taken)) {
          return taken;
        }
        const expected = await expectUserVersion(services, current, request);
        if (Object.keys(to).length === 0) {
          const unchanged = await services.users.findRepresentation({ id: current.id });
          if (unchanged === undefined) {
            return refuse('noSuchUser');
          }
          return expected === 'unmet' ? refuse('preconditionFailed') : representation(unchanged, caller);
        }
        const outcome = await services.userChanges.update(current, to, origin, expected);
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, { usernameTaken: newName })
          : representation(outcome.result, caller);
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
        'lastAdministrator', 'preconditionFailed', 'tooManyConflicts',
      ],
      async handle(services, { path, query, caller, origin, request }) {
        const current = await findChangeable(services, path.username_or_id, caller);
        if (isRefusal(current)) {
          return current;
        }
        if ((current.id === caller.user.id || current.isAdmin) && caller.signIn === 'token') {
          return refuse('passwordNeeded'); // a stolen token must not be enough to delete such an account
        }
        const ownedProjects = await decideOwnedProjects(
          services, query.owned_projects ?? 'refuse', query.new_owner, current, caller,
        );
        if (isRefusal(ownedProjects)) {
          return ownedProjects;
        }
        const outcome = await services.userDeletion.delete(
          current, ownedProjects, origin, await expectUserVersion(services, current, request),
        );
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, { unknownOwner: query.new_owner })
          : undefined;
      },
    }),
  };
}

/**
 * The tag includes the version only for callers who may change the record: others must not learn of a new
 * password from the tag. Only administrators learn who is invited and has not set a password yet.
 */
export function representation(
  { id: userId, json, version, username: name, hasMoreProjects, isInvited }: UserRepresentation,
  { user: reader }: Caller,
): Tagged {
  const isChangeable = reader.isAdmin || reader.id === userId;
  const link = `</api/v1/projects?owner=${encodeURIComponent(name)}>; rel="related"`; // RFC 8288
  return {
    ...tagged(isChangeable ? { json, version } : { json }),
    ...(reader.isAdmin && { json: `${json.slice(0, -1)},"invited":${isInvited}}` }),
    ...(hasMoreProjects && { headers: { 'Link': link } }),
  };
}

async function decideOwnedProjects(
  services: Services, kind: OwnedProjects['kind'], newOwnerName: string | undefined, current: User,
  caller: Caller,
): Promise<OwnedProjects | Refusal<'invalidParameter' | 'unknownOwner'>> {
  if (kind !== 'transfer') {
    return newOwnerName === undefined
      ? { kind }
      : refuseNewOwner('must be absent unless owned_projects is "transfer"');
  }
  if (newOwnerName === undefined) {
    return refuseNewOwner('is required with owned_projects=transfer');
  }
  const newOwner = await findVisible(services, newOwnerName, caller);
  if (newOwner === undefined) {
    return refuse('unknownOwner', newOwnerName);
  }
  return newOwner.id === current.id
    ? refuseNewOwner('must be another user')
    : { kind, newOwnerId: newOwner.id };
}

function refuseNewOwner(message: string): Refusal<'invalidParameter'> {
  return refuse('invalidParameter', [{ parameter: 'new_owner', keyword: 'required', message }]);
}
