/** `/api/v1/user` and `/api/v1/users`: from top to bottom, everything that the API does with users. */
import type { Caller } from '../auth/authenticate.ts';
import { COMMON_PASSWORDS } from '../auth/common-passwords.ts';
import { toEntityTag } from '../http/conditional.ts';
import type { HttpRequest } from '../http/exchange.ts';
import { array, boolean, describe, nullable, object, oneOf, optional, text, type ValueOf } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { PasswordHash, User, UserId, UserWithProjects } from '../model/user.ts';
import { isActiveAdministrator, type OwnedProjects } from '../stores/user-changes.ts';
import { changed, created, done, list, read, type Tagged } from './answers.ts';
import { requiredBody } from './body.ts';
import { isPreconditionFailed, retryOnConflict } from './changes.ts';
import { operation } from './operation.ts';
import { idOrName, nameSearch, pageRequest, paging, parameter, sortBy, toNameSearch, username as usernameInQuery } from './parameters.ts';
import { isRefusal, refuse, type Refusal } from './problems.ts';
import { project } from './projects.ts';
import { email, id, newUsername, timestamp, username } from './schemas.ts';
import { auditContext, type Services } from './services.ts';
import { toRecord as toTokenRecord, tokenRecord } from './tokens.ts';

/** The rules for a new password. None is about its composition: such rules make passwords worse (NIST SP 800-63B). */
export interface PasswordRule {
  /** In characters. */
  readonly passwordLengthMin: number;
  /** `strict` refuses the most common passwords. */
  readonly passwordPolicy: 'basic' | 'strict';
}

interface UserSettings extends PasswordRule {
  readonly registration: 'open' | 'closed';
}

const PASSWORD_BYTES_MAX = 1_024;

export function newPassword({ passwordLengthMin, passwordPolicy }: PasswordRule) {
  return text({
    minLength: passwordLengthMin,
    maxLength: PASSWORD_BYTES_MAX,
    description: `At most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`,
    ...(passwordPolicy === 'strict' && { not: { enum: COMMON_PASSWORDS, title: 'one of the most common passwords' } }),
    example: 'a long phrase only Ada knows',
  });
}

/** A schema counts characters; the limit is in bytes. @returns The message that continues "it …". */
export function findPasswordFault(password: string): string | undefined {
  return Buffer.byteLength(password) > PASSWORD_BYTES_MAX ? `must be at most ${PASSWORD_BYTES_MAX} bytes of UTF-8` : undefined;
}

export function newUser(rule: PasswordRule) {
  return object({
    username: newUsername,
    password: newPassword(rule),
    email: describe(email, { description: 'An email address. Other signed-in users can see it.' }),
  });
}

const listedMembers = {
  id: id(2),
  username,
  email,
  date_created: timestamp('2026-01-31T12:00:00.000Z'),
  is_admin: boolean({ description: 'Whether the user is an administrator.', example: false }),
  projects: array(project, { description: 'The projects that the user owns, by id.' }),
};

const userMembers = {
  ...listedMembers,
  disabled: boolean({ description: 'Whether the user is kept from signing in.', example: false }),
};

export const listedUser = object(listedMembers, { description: 'A user as lists show them.' });
export const user = object(userMembers);

const createdUser = object({ username, email, id: listedMembers.id, date_created: listedMembers.date_created });

const callerRecord = object({
  ...userMembers,
  role: oneOf(['user', 'administrator'], { description: 'The role of the caller.' }),
  sign_in: oneOf(['password', 'token'], { description: 'How the caller signed in.' }),
  token: nullable(tokenRecord, { description: 'The token in use; `null` after signing in with a password.', example: null }),
});

const userPatch = object({
  username: optional(newUsername),
  email: optional(email),
  is_admin: optional(boolean({ description: 'Whether the user is an administrator. For administrators.' })),
  disabled: optional(boolean({ description: 'Whether the user is kept from signing in. For administrators.' })),
}, { example: { email: 'ada@example.org' } });

const userInPath = {
  username_or_id: idOrName<UserId>('A username, case ignored, or the id of a user: digits alone are an id.', 'ada'),
};

export function userOperations({ registration, ...rule }: UserSettings) {
  return {
    readCaller: operation({
      method: 'GET',
      path: '/api/v1/user',
      access: 'authenticated',
      tag: 'Users',
      summary: 'Get the caller',
      description:
        'Who you are and how you signed in. The `ETag` is not that of `/api/v1/users/{username_or_id}`.',
      answers: read(callerRecord, 'The caller.'),
      refuses: ['unauthenticated'],
      async handle({ users }, { caller }) {
        const found = await users.findWithProjects({ id: caller.user.id });
        if (found === undefined) {
          return refuse('unauthenticated'); // deleted since they signed in
        }
        const record: ValueOf<typeof callerRecord> = {
          ...toUserRecord(found),
          role: found.isAdmin ? 'administrator' : 'user',
          sign_in: caller.signIn,
          token: caller.signIn === 'token' ? toTokenRecord(caller.token) : null,
        };
        const json = JSON.stringify(record);
        return { json, tag: toEntityTag(`${found.version} ${json}`) };
      },
    }),

    listUsers: operation({
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      tag: 'Users',
      summary: 'List users',
      description: 'Users with their projects, by id unless `sort` says otherwise. An empty search parameter counts as absent.',
      query: { ...nameSearch, sort: sortBy('username', 'date_created'), ...paging },
      answers: list('users', listedUser, '/api/v1/users'),
      async handle({ users }, { query }) {
        const page = pageRequest(query);
        const { sort } = query;
        return { page, found: await users.listWithProjects({ search: toNameSearch(query), page, ...(sort && { sort }) }) };
      },
    }),

    createUser: operation({
      method: 'POST',
      path: '/api/v1/users',
      access: registration === 'open' ? 'public' : 'administrator',
      tag: 'Users',
      summary: 'Register a user',
      description: registration === 'open'
        ? 'Anybody may register.'
        : 'Registration is closed: only administrators create users.',
      body: requiredBody('NewUser', newUser(rule)),
      answers: created(createdUser, 'The new user.', '/api/v1/users/2'),
      refuses: ['usernameTaken', 'tooManyAttempts', 'busy', 'invalidBody', 'databaseUnavailable', 'storageFull'],
      async handle(services, { body, caller, request }) {
        const fault = refuseLongPassword(body.password) ?? (await refuseTakenUsername(services, body.username, request.address));
        if (fault !== undefined) {
          return fault;
        }
        const passwordHash = await hashPassword(services, body.password);
        if (isRefusal(passwordHash)) {
          return passwordHash;
        }
        const outcome = await services.users.insert({
          username: body.username,
          email: body.email,
          passwordHash,
          isAdmin: false,
          dateCreated: toTimestamp(services.clock()),
        }, auditContext(services, request, caller));
        switch (outcome.kind) {
          case 'inserted': {
            const { username: name, email: address, id: userId, dateCreated } = outcome.user;
            const record: ValueOf<typeof createdUser> = { username: name, email: address, id: userId, date_created: dateCreated };
            return { json: JSON.stringify(record), location: `/api/v1/users/${userId}` };
          }
          case 'username-taken': // since it was looked up
            return refuse('usernameTaken', body.username);
        }
      },
    }),

    readUser: operation({
      method: 'GET',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      tag: 'Users',
      summary: 'Get a user',
      description: 'Every signed-in user may read every other, with their projects.',
      answers: read(user, 'The user.'),
      refuses: ['noSuchUser'],
      async handle({ users }, { path }) {
        const found = path.username_or_id && (await users.findJson(path.username_or_id));
        return found === undefined
          ? refuse('noSuchUser')
          : { json: found.json, tag: toEntityTag(`${found.version} ${found.json}`) };
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
        'Changes the given members and leaves the others as they are. The user or an administrator may do this; `is_admin` ' +
        'and `disabled` are for administrators.',
      body: requiredBody('UserPatch', userPatch),
      answers: changed(user, 'The user as they are now.'),
      refuses: [
        'noSuchUser', 'ownAccountOnly', 'rightsByAdministratorOnly', 'usernameTaken', 'lastAdministrator', 'preconditionFailed',
        'tooManyConflicts',
      ],
      handle: (services, { path, body, caller, request }) => retryOnConflict(async () => {
        const current = path.username_or_id && (await services.users.findWithProjects(path.username_or_id));
        if (current === undefined) {
          return refuse('noSuchUser');
        }
        if (!mayChange(caller, current)) {
          return refuse('ownAccountOnly');
        }
        const { is_admin: isAdmin = current.isAdmin, disabled: isDisabled = current.isDisabled } = body;
        if ((body.is_admin !== undefined || body.disabled !== undefined) && !caller.user.isAdmin) {
          return refuse('rightsByAdministratorOnly');
        }
        const to = {
          ...current, username: body.username ?? current.username, email: body.email ?? current.email, isAdmin, isDisabled,
        };
        const isRenamed = toNameKey(to.username) !== toNameKey(current.username);
        if (isRenamed && (await services.users.findByName(to.username)) !== undefined) {
          return refuse('usernameTaken', to.username);
        }
        if (await wouldLeaveNoAdministrator(services, current, isActiveAdministrator(to))) {
          return refuse('lastAdministrator');
        }
        if (isPreconditionFailed(request, tagged(current))) {
          return refuse('preconditionFailed');
        }
        if (to.username === current.username && to.email === current.email && isAdmin === current.isAdmin &&
          isDisabled === current.isDisabled) {
          return tagged(current);
        }
        const outcome = await services.userChanges.update(current, to, auditContext(services, request, caller));
        return outcome === 'changed' ? tagged(toChangedUser(current, to)) : 'conflict';
      }),
    }),

    deleteUser: operation({
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      parameters: userInPath,
      access: 'authenticated',
      tag: 'Users',
      summary: 'Delete a user',
      description:
        'The user or an administrator may do this. It revokes their tokens and frees the username; the id is never used ' +
        'again. Projects must be deleted or transferred with the user.',
      query: {
        owned_projects: parameter(oneOf(['refuse', 'delete', 'transfer'], {
          description: 'Whether to `delete` or `transfer` the projects of the user. `refuse`, unless given, keeps a user who has some.',
        })),
        new_owner: usernameInQuery('The user who gets the projects. Required with `owned_projects=transfer`, and only there.'),
      },
      answers: done('The user is deleted.', { user_status: 'deleted' }),
      refuses: [
        'noSuchUser', 'ownAccountOnly', 'invalidParameter', 'unknownOwner', 'projectsOwned', 'lastAdministrator',
        'preconditionFailed', 'tooManyConflicts',
      ],
      handle: (services, { path, query, caller, request }) => retryOnConflict(async () => {
        const current = path.username_or_id && (await services.users.findWithProjects(path.username_or_id));
        if (current === undefined) {
          return refuse('noSuchUser');
        }
        if (!mayChange(caller, current)) {
          return refuse('ownAccountOnly');
        }
        const ownedProjects = await decideOwnedProjects(services, query.owned_projects ?? 'refuse', query.new_owner, current);
        if (isRefusal(ownedProjects)) {
          return ownedProjects;
        }
        if (ownedProjects.kind === 'refuse' && current.projects.length > 0) {
          return refuse('projectsOwned');
        }
        if (await wouldLeaveNoAdministrator(services, current, false)) {
          return refuse('lastAdministrator');
        }
        if (isPreconditionFailed(request, tagged(current))) {
          return refuse('preconditionFailed');
        }
        const outcome = await services.userChanges.delete(current, ownedProjects, auditContext(services, request, caller));
        return outcome === 'changed' ? undefined : 'conflict';
      }),
    }),

    changePassword: operation({
      method: 'PUT',
      path: '/api/v1/users/{username_or_id}/password',
      parameters: userInPath,
      access: 'authenticated',
      tag: 'Users',
      summary: 'Change a password',
      description:
        'To change your own password, send your current one. An administrator may set a new one for another user. All ' +
        'other tokens of the user are revoked.',
      body: requiredBody('NewPassword', object({
        password: newPassword(rule),
        current_password: optional(text({ description: 'Required to change your own password.', example: 'the one before' })),
      })),
      answers: done('The password is changed.', { password_status: 'changed' }),
      refuses: [
        'noSuchUser', 'ownAccountOnly', 'invalidBody', 'wrongPassword', 'tooManyAttempts', 'busy', 'preconditionFailed',
        'tooManyConflicts',
      ],
      async handle(services, { path, body, caller, request }) {
        const fault = refuseLongPassword(body.password);
        if (fault !== undefined) {
          return fault;
        }
        let passwordHash: PasswordHash | undefined; // computed once, however often the change is retried
        return retryOnConflict(async () => {
          const current = path.username_or_id && (await services.users.findWithProjects(path.username_or_id));
          if (current === undefined) {
            return refuse('noSuchUser');
          }
          if (!mayChange(caller, current)) {
            return refuse('ownAccountOnly');
          }
          const isOwn = current.id === caller.user.id;
          const wrong = isOwn ? await refuseWrongPassword(services, current, body.current_password, request) : undefined;
          if (wrong !== undefined) {
            return wrong;
          }
          if (isPreconditionFailed(request, tagged(current))) {
            return refuse('preconditionFailed');
          }
          const hashed = passwordHash ?? (await hashPassword(services, body.password));
          if (isRefusal(hashed)) {
            return hashed;
          }
          passwordHash = hashed;
          const sparedTokenId = isOwn && caller.signIn === 'token' ? caller.token.id : undefined;
          const context = auditContext(services, request, caller);
          const outcome = await services.userChanges.setPassword(current, { passwordHash, sparedTokenId }, context);
          return outcome === 'changed' ? undefined : 'conflict';
        });
      },
    }),
  };
}

function mayChange(caller: Caller, { id: userId }: User): boolean {
  return userId === caller.user.id || caller.user.isAdmin;
}

async function hashPassword({ passwords }: Services, password: string): Promise<PasswordHash | Refusal<'busy'>> {
  const hashing = await passwords.hash(password);
  return hashing.kind === 'busy' ? refuse('busy') : hashing.result;
}

function refuseLongPassword(password: string): Refusal<'invalidBody'> | undefined {
  const message = findPasswordFault(password);
  return message === undefined ? undefined : refuse('invalidBody', [{ pointer: '/password', keyword: 'maxLength', message }]);
}

/**
 * Spares the costly hash when the name is taken. The answer tells who has an account here, as the specification wants; so
 * that nobody tries names by the thousand, it counts for the address.
 */
async function refuseTakenUsername(
  { users, throttle }: Services, name: string, address: string,
): Promise<Refusal<'tooManyAttempts' | 'usernameTaken'> | undefined> {
  const holder = await users.findByName(name);
  const retryAfterSeconds = throttle.secondsToWait({ address }); // after the look-up, so that concurrent tries are counted
  if (retryAfterSeconds > 0) {
    return refuse('tooManyAttempts', retryAfterSeconds); // for a free name too, or the refusal would tell
  }
  if (holder === undefined) {
    return undefined;
  }
  throttle.take({ address }); // and does not give the place back
  return refuse('usernameTaken', name);
}

async function wouldLeaveNoAdministrator({ users }: Services, current: User, staysOne: boolean): Promise<boolean> {
  return isActiveAdministrator(current) && !staysOne && !(await users.hasOtherAdministrator(current));
}

/** The holder of a stolen token must not take the account over, nor guess the password faster than by signing in. */
async function refuseWrongPassword(
  { users, passwords, checkPassword }: Services, { id: userId, username: name }: User, password: string | undefined,
  { address }: HttpRequest,
): Promise<Refusal<'invalidBody' | 'wrongPassword' | 'tooManyAttempts' | 'busy'> | undefined> {
  if (password === undefined) {
    const message = 'is required to change your own password';
    return refuse('invalidBody', [{ pointer: '/current_password', keyword: 'required', message }]);
  }
  const key = toNameKey(name);
  const account = await users.findWithPassword(key);
  const found = account?.user.id === userId ? account : undefined;
  const stored = found?.passwordHash ?? passwords.decoy;
  const outcome = await checkPassword({ name: key, password, address, stored, userId: found?.user.id });
  switch (outcome.kind) {
    case 'right':
      return undefined;
    case 'wrong':
      return refuse('wrongPassword');
    case 'throttled':
      return refuse('tooManyAttempts', outcome.retryAfterSeconds);
    case 'busy':
      return refuse('busy');
  }
}

async function decideOwnedProjects(
  { users }: Services, kind: OwnedProjects['kind'], newOwnerName: string | undefined, current: User,
): Promise<OwnedProjects | Refusal<'invalidParameter' | 'unknownOwner'>> {
  if (kind !== 'transfer') {
    return newOwnerName === undefined ? { kind } : refuseNewOwner('must be absent unless owned_projects is "transfer"');
  }
  if (newOwnerName === undefined) {
    return refuseNewOwner('is required with owned_projects=transfer');
  }
  const newOwner = await users.findByName(newOwnerName);
  if (newOwner === undefined) {
    return refuse('unknownOwner', newOwnerName);
  }
  return newOwner.id === current.id ? refuseNewOwner('must be another user') : { kind, newOwnerId: newOwner.id };
}

function refuseNewOwner(message: string): Refusal<'invalidParameter'> {
  return refuse('invalidParameter', [{ parameter: 'new_owner', keyword: 'required', message }]);
}

/** The user as the change has left them, without a second look at the database. */
function toChangedUser(current: UserWithProjects, to: UserWithProjects): UserWithProjects {
  const owner = { username: to.username, email: to.email };
  return { ...to, version: current.version + 1, projects: current.projects.map((owned) => ({ ...owned, owner })) };
}

function tagged(current: UserWithProjects): Tagged {
  const json = JSON.stringify(toUserRecord(current));
  return { json, tag: toEntityTag(`${current.version} ${json}`) };
}

function toUserRecord({ id: userId, username: name, email: address, dateCreated, isAdmin, isDisabled, projects }: UserWithProjects) {
  return {
    id: userId,
    username: name,
    email: address,
    date_created: dateCreated,
    is_admin: isAdmin,
    disabled: isDisabled,
    projects: projects.map(({ id: projectId, name: projectName, description, dateCreated: at, owner }) => {
      return { id: projectId, name: projectName, description, date_created: at, owner };
    }),
  };
}
