/** Changes of `/api/v1/users/{username_or_id}`, by the user or an administrator. */
import type { Client } from '../auth/applicants.ts';
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toNameKey } from '../model/name.ts';
import type { PasswordHash, User, UserWithProjects } from '../model/user.ts';
import { problems } from '../problems.ts';
import { OWNED_PROJECTS_CHOICES } from '../schemas/parameters.ts';
import { toNewPasswordBody, toUserPatch, type UserPatch } from '../schemas/users.ts';
import { isActiveAdministrator, type OwnedProjects } from '../stores/user-changes.ts';
import { answerChanged, change, isChange, refuseFailedPrecondition } from './change.ts';
import { toOrigin } from './origin.ts';
import { readText, readWord } from './parameters.ts';
import type { Services } from './services.ts';
import {
  findAddressedUser, hashPassword, refuseLongPassword, refuseMixedScripts, toShownUser,
} from './users.ts';

export async function updateUser(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const patch = toUserPatch(request.body);
  refuseMixedScripts(patch.username ?? '');
  return change(async () => {
    const user = await findAddressedUser(services, request);
    refuseStranger(user, caller);
    refuseOwnRights(patch, caller);
    const to = { ...user, ...patch };
    await refuseOthersUsername(services, user, to.username);
    await refuseWithoutAdministrator(services, user, isActiveAdministrator(to));
    refuseFailedPrecondition(request, toShownUser(user));
    if (!isChange(user, patch)) {
      return answerChanged(toShownUser(user));
    }
    const outcome = await services.userChanges.update(user, to, toOrigin(services, request, caller));
    return outcome === 'changed' ? answerChanged(toShownUser(toChangedUser(user, to))) : outcome;
  });
}

export async function changePassword(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const body = toNewPasswordBody(request.body);
  refuseLongPassword(body.password);
  let passwordHash: PasswordHash | undefined;
  return change(async () => {
    const user = await findAddressedUser(services, request);
    refuseStranger(user, caller);
    const isOwn = user.id === caller.user.id;
    if (isOwn) {
      await refuseWrongPassword(services, user, { currentPassword: body.currentPassword, client: request });
    }
    refuseFailedPrecondition(request, toShownUser(user));
    passwordHash ??= await hashPassword(services, body.password, request);
    const sparedTokenId = isOwn && caller.signIn === 'token' ? caller.token.id : undefined;
    const outcome = await services.userChanges.setPassword(user, { passwordHash, sparedTokenId }, toOrigin(services, request, caller));
    return outcome === 'changed' ? jsonReply(200, { password_status: 'changed' }) : outcome;
  });
}

export async function deleteUser(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  return change(async () => {
    const user = await findAddressedUser(services, request);
    refuseStranger(user, caller);
    if (user.id === caller.user.id && caller.signIn === 'token') {
      throw problems.passwordNeeded(); // a stolen token must not be enough to delete the account
    }
    const ownedProjects = await readOwnedProjects(services, request, user);
    if (ownedProjects.kind === 'refuse' && user.projects.length > 0) {
      throw problems.projectsOwned();
    }
    await refuseWithoutAdministrator(services, user, false);
    refuseFailedPrecondition(request, toShownUser(user));
    const outcome = await services.userChanges.delete(user, ownedProjects, toOrigin(services, request, caller));
    return outcome === 'changed' ? jsonReply(200, { user_status: 'deleted' }) : outcome;
  });
}

function refuseStranger(user: User, caller: Caller): void {
  if (user.id !== caller.user.id && !caller.user.isAdmin) {
    throw problems.forbidden('Only the user or an administrator may change or delete an account');
  }
}

function refuseOwnRights({ isAdmin, isDisabled }: UserPatch, caller: Caller): void {
  if ((isAdmin !== undefined || isDisabled !== undefined) && !caller.user.isAdmin) {
    throw problems.forbidden('Only an administrator may change "is_admin" or "disabled"');
  }
}

async function refuseOthersUsername({ users }: Services, user: User, username: string): Promise<void> {
  if (toNameKey(username) !== toNameKey(user.username) && (await users.findByName(username)) !== undefined) {
    throw problems.usernameTaken();
  }
}

async function refuseWithoutAdministrator({ users }: Services, user: User, staysOne: boolean): Promise<void> {
  if (isActiveAdministrator(user) && !staysOne && !(await users.hasOtherAdministrator(user))) {
    throw problems.lastAdministrator();
  }
}

/** Whoever has a token of somebody must not take their account over, nor guess the password faster than by signing in. */
async function refuseWrongPassword(
  { users, passwords, checkPassword }: Services,
  user: User,
  { currentPassword, client }: { readonly currentPassword: string | undefined; readonly client: Client },
): Promise<void> {
  if (currentPassword === undefined) {
    const message = 'is required to change one\'s own password';
    throw problems.invalidBody([{ pointer: '/current_password', keyword: 'required', message }]);
  }
  const name = toNameKey(user.username);
  const account = await users.findWithPassword(name);
  const found = account?.user.id === user.id ? account : undefined;
  const stored = found?.passwordHash ?? passwords.decoy;
  const outcome = await checkPassword({ name, password: currentPassword, client, stored, user });
  switch (outcome.kind) {
    case 'right':
      return;
    case 'wrong':
      throw problems.wrongPassword();
    case 'throttled':
      throw problems.tooManyAttempts(outcome.retryAfterSeconds);
    case 'busy':
      throw problems.busy(outcome.retryAfterSeconds);
  }
}

async function readOwnedProjects({ users }: Services, { query }: HttpRequest, user: User): Promise<OwnedProjects> {
  const kind = readWord(query, 'owned_projects', OWNED_PROJECTS_CHOICES) ?? 'refuse';
  const newOwnerName = readText(query, 'new_owner');
  if (kind !== 'transfer') {
    if (newOwnerName !== undefined) {
      throw problems.invalidParameter('new_owner', 'none unless owned_projects is "transfer"');
    }
    return { kind };
  }
  if (newOwnerName === undefined) {
    throw problems.invalidParameter('new_owner', 'the username of who gets the projects');
  }
  const newOwner = await users.findByName(newOwnerName);
  if (newOwner === undefined) {
    throw problems.unknownOwner();
  }
  if (newOwner.id === user.id) {
    throw problems.invalidParameter('new_owner', 'another user than the one who is deleted');
  }
  return { kind, newOwnerId: newOwner.id };
}

/** The user as the change has left them, without a second look at the database. */
function toChangedUser(user: UserWithProjects, to: UserWithProjects): UserWithProjects {
  const owner = { username: to.username, email: to.email };
  return { ...to, version: user.version + 1, projects: user.projects.map((project) => ({ ...project, owner })) };
}
