/** `/api/v1/users`: from top to bottom, everything that the API does with users. */
import { changed, created, done, list, read, tagged, type Tagged } from '../api/answers.ts';
import { requiredBody } from '../api/body.ts';
import { auditContext, LOST_RIGHTS, onlyChanges, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import {
  nameSearch, pageRequest, paging, parameter, sortBy, toNameSearch, toUserFilter, userFilter,
  usernameInQuery,
} from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { array, boolean, describe, integer, object, oneOf, optional } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { NO_PASSWORD, type User } from '../model/user.ts';
import type { UserValues } from '../stores/user-changes.ts';
import type { OwnedProjects } from '../stores/user-deletion.ts';
import type { UserRepresentation } from '../stores/users.ts';
import {
  expectUserVersion, findChangeable, refuseFaultyUsername, refuseTakenUsername, userInPath,
} from './accounts.ts';
import { findVisible, findVisibleRepresentation, onlyVisible } from './directory.ts';
import { findAuthor, findInviter } from './invitations.ts';
import { hashPassword, newPassword, refuseLongPassword, type PasswordRule } from './passwords.ts';
import { project } from './projects.ts';
import { email, id, newUsername, timestamp, username } from './schemas.ts';

interface UserSettings extends PasswordRule {
  readonly registration: 'open' | 'closed';
}

const newUserMembers = (rule: PasswordRule) => ({
  username: newUsername,
  password: newPassword(rule),
  email: describe(email, {
    description: 'An email address. Signed-in users can see it: with `DIRECTORY=closed` only administrators.',
  }),
});

export function newUser(rule: PasswordRule) {
  return object(newUserMembers(rule));
}

export const userMembers = {
  id: id(2),
  username,
  email,
  date_created: timestamp('2026-01-31T12:00:00.000Z'),
  is_admin: boolean({ description: 'Whether the user is an administrator.', example: false }),
  disabled: boolean({ description: 'Whether the user is kept from signing in.', example: false }),
  projects_total: integer({
    minimum: 0, description: 'The number of projects that the user owns.', example: 1,
  }),
  projects: array(project, {
    description:
      'The first projects that the user owns, by id: as many as fit into 256 KiB, and in a list into 4 KiB.',
  }),
};

export const listedUser = object(userMembers, { description: 'A user as lists show them.' });
export const user = object(userMembers);

const createdUser = object({
  username, email, id: userMembers.id, date_created: userMembers.date_created,
});

/** The link of a single read that does not show all projects. */
export const MORE_PROJECTS = { 'Link': '</api/v1/projects?owner=ada>; rel="related"' };

const userPatch = object({
  username: optional(newUsername),
  email: optional(email),
  is_admin: optional(boolean({ description: 'Whether the user is an administrator. For administrators.' })),
  disabled: optional(boolean({
    description: 'Whether the user is kept from signing in. For administrators.',
  })),
}, { example: { email: 'ada@example.org' } });

export function userOperations({ registration, ...rule }: UserSettings) {
  return {
    listUsers: operation({
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      mayTakeLong: true,
      tag: 'Users',
      summary: 'List users',
      description:
        'Users with their projects, by id unless `sort` says otherwise. An empty search ' +
        'parameter counts as absent.',
      query: {
        ...nameSearch,
        ...userFilter,
        sort: sortBy('username', 'date_created'),
        ...paging,
      },
      answers: list('users', listedUser, '/api/v1/users'),
      async handle(services, { query, caller }) {
        const page = pageRequest(query);
        const { sort } = query;
        const found = await services.users.list({
          search: toNameSearch(query), filter: toUserFilter(query), only: onlyVisible(services, caller), page,
          ...(sort && { sort }),
        });
        return { page, found };
      },
    }),

    createUser: operation({
      method: 'POST',
      path: '/api/v1/users',
      access: registration === 'open' ? 'public' : 'administrator',
      tag: 'Users',
      summary: 'Register a user',
      description: (registration === 'open'
        ? 'Anybody may register.'
        : 'Registration is closed: only administrators create users.') +
        ' Administrators may leave the password out, to invite the user with a password link.',
      body: {
        ...requiredBody('NewUser', object({
          ...newUserMembers(rule),
          password: optional(newPassword(rule)), // `findInviter` requires it of all but administrators
        })),
        anonymousSchema: newUser(rule),
      },
      answers: created(createdUser, 'The new user.', '/api/v1/users/2'),
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
        const fault =
          refuseFaultyUsername(name) ?? refuseLongPassword(password ?? '') ?? (await refuseTaken());
        if (fault !== undefined) {
          return fault;
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
        const origin = auditContext(services, request, author);
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
      mayTakeLong: true, // up to 256 KiB of projects
      tag: 'Users',
      summary: 'Get a user',
      description:
        'Every signed-in user may read every user, with the projects of that user. With ' +
        '`DIRECTORY=closed`, only administrators read other users.',
      answers: read(user, 'The user.', MORE_PROJECTS),
      refuses: ['noSuchUser'],
      async handle(services, { path, caller }) {
        const found = await findVisibleRepresentation(services, path.username_or_id, caller);
        return found === undefined ? refuse('noSuchUser') : representation(found, caller);
      },
    }),

    updateUser: operation({
      method: 'PATCH',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      tag: 'Users',
      summary: 'Change a user',
      description:
        'Changes the given members and leaves the others as they are. The user or an administrator may do ' +
        'this; `is_admin` and `disabled` are for administrators. To change a username, or the role or ' +
        'state of an administrator, sign in with the password.',
      body: requiredBody('UserPatch', userPatch),
      answers: changed(user, 'The user as they are now.'),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'rightsByAdministratorOnly', 'passwordNeeded',
        'invalidBody', 'usernameTaken', 'tooManyAttempts', 'lastAdministrator', 'preconditionFailed',
        'tooManyConflicts',
      ],
      async handle(services, { path, body, caller, request }) {
        const current = await findChangeable(services, path.username_or_id, caller);
        if (isRefusal(current)) {
          return current;
        }
        const fault = refuseFaultyUsername(body.username ?? '');
        if (fault !== undefined) {
          return fault;
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
          return expected === 'unmet' ? refuse('preconditionFailed') : tagged(unchanged);
        }
        const outcome = await services.userChanges.update(
          current, to, auditContext(services, request, caller), expected,
        );
        return outcome.kind === 'refused'
          ? refuseFailed(outcome, { usernameTaken: newName })
          : tagged(outcome.result);
      },
    }),

    deleteUser: operation({
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      tag: 'Users',
      summary: 'Delete a user',
      description:
        'The user or an administrator may do this. It revokes their tokens and frees the username; the id ' +
        'is never used again. Projects must be deleted or transferred with the user. To delete your own ' +
        'account, or an administrator, sign in with the password.',
      query: {
        owned_projects: parameter(oneOf(['refuse', 'delete', 'transfer'], {
          description:
            'Whether to `delete` or `transfer` the projects of the user. `refuse`, unless given, ' +
            'keeps a user who has some.',
        })),
        new_owner: usernameInQuery(
          'The user who gets the projects. Required with `owned_projects=transfer`, and only there.',
        ),
      },
      answers: done('The user is deleted.', { user_status: 'deleted' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidParameter',
        'unknownOwner', 'projectsOwned', 'transferByAdministratorOnly', 'tooManyProjects',
        'lastAdministrator', 'preconditionFailed', 'tooManyConflicts',
      ],
      async handle(services, { path, query, caller, request }) {
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
          current, ownedProjects, auditContext(services, request, caller),
          await expectUserVersion(services, current, request),
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
 * password from the tag.
 */
export function representation(
  { id: userId, json, version, username: name, hasMoreProjects }: UserRepresentation,
  { user: reader }: Caller,
): Tagged {
  const isChangeable = reader.isAdmin || reader.id === userId;
  const link = `</api/v1/projects?owner=${encodeURIComponent(name)}>; rel="related"`; // RFC 8288
  return {
    ...tagged(isChangeable ? { json, version } : { json }),
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
