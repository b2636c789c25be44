/** Changes of `/api/v1/users/{username_or_id}`, by the user or an administrator. */
import type { Client } from '../auth/applicants.ts';
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toNameKey } from '../model/name.ts';
import type { PasswordHash, User } from '../model/user.ts';
import { problems } from '../problems.ts';
import { OWNED_PROJECTS_CHOICES } from '../schemas/parameters.ts';
import { toNewPasswordBody, toUserPatch, type UserPatch } from '../schemas/users.ts';
import { isActiveAdministrator, type OwnedProjects } from '../stores/user-changes.ts';
import {
  answerChanged,
  change,
  isChange,
  isConditional,
  refuseFailedPrecondition,
  toLostRightProblem,
} from './change.ts';
import { toOrigin } from './origin.ts';
import { readText, readWord } from './parameters.ts';
import type { Services } from './services.ts';
import { findAddressedUser, hashPassword, refuseLongPassword, refuseMixedScripts } from './users.ts';

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
    await refuseOtherUser(services, request, user);
    if (!isChange(user, patch)) {
      return answerUnchanged(services, user);
    }
    const outcome = await services.userChanges.update(user, to, toOrigin(services, request, caller));
    switch (outcome.kind) {
      case 'changed':
        return answerChanged(outcome.representation);
      case 'conflict':
        return outcome.kind;
      case 'credentials-revoked':
      case 'role-lost':
        throw toLostRightProblem(outcome);
    }
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
    await refuseOtherUser(services, request, user);
    passwordHash ??= await hashPassword(services, body.password, request);
    const sparedTokenId = isOwn && caller.signIn === 'token' ? caller.token.id : undefined;
    const origin = toOrigin(services, request, caller);
    const outcome = await services.userChanges.setPassword(user, { passwordHash, sparedTokenId }, origin);
    switch (outcome.kind) {
      case 'changed':
        return jsonReply(200, { password_status: 'changed' });
      case 'conflict':
        return outcome.kind;
      case 'credentials-revoked':
      case 'role-lost':
        throw toLostRightProblem(outcome);
    }
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
    if (ownedProjects.kind === 'transfer' && !caller.user.isAdmin) {
      throw problems.forbidden('Only an administrator may hand projects over');
    }
    if (ownedProjects.kind === 'refuse' && (await services.users.ownsProjects(user))) {
      throw problems.projectsOwned();
    }
    await refuseWithoutAdministrator(services, user, false);
    await refuseOtherUser(services, request, user);
    const outcome = await services.userChanges.delete(user, ownedProjects, toOrigin(services, request, caller));
    switch (outcome.kind) {
      case 'deleted':
        return jsonReply(200, { user_status: 'deleted' });
      case 'conflict':
        return outcome.kind;
      case 'too-many-projects':
        throw problems.tooManyProjects();
      case 'credentials-revoked':
      case 'role-lost':
        throw toLostRightProblem(outcome);
    }
  });
}

/**
 * A change of an account needs to know what the account owns only where the request says what it must look
 * like.
 */
async function refuseOtherUser({ users }: Services, request: HttpRequest, { id }: User): Promise<void> {
  const shown = isConditional(request) ? await users.findRepresentation({ id }) : undefined;
  if (shown !== undefined) {
    refuseFailedPrecondition(request, shown);
  }
}

async function answerUnchanged({ users }: Services, { id }: User): Promise<Reply | 'conflict'> {
  const shown = await users.findRepresentation({ id });
  return shown === undefined ? 'conflict' : answerChanged(shown);
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
  const isOther = toNameKey(username) !== toNameKey(user.username);
  if (isOther && (await users.find({ name: username })) !== undefined) {
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
  const newOwner = await users.find({ name: newOwnerName });
  if (newOwner === undefined) {
    throw problems.unknownOwner();
  }
  if (newOwner.id === user.id) {
    throw problems.invalidParameter('new_owner', 'another user than the one who is deleted');
  }
  return { kind, newOwnerId: newOwner.id };
}
