/** `/api/v1/users/{username_or_id}/password`. */
import { jsonBody } from '../api/body.ts';
import { originOf, refuseFailed, refusePostponed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { idOrName } from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/refusal.ts';
import { words } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Client } from '../auth/client.ts';
import { object, optional, text } from '../jsonschema/typed.ts';
import { toNameKey } from '../model/name.ts';
import type { User, UserId } from '../model/user.ts';
import { newPassword, type PasswordRule } from './rules.ts';
import { expectUserVersion, hashPassword, isUser } from './users.ts';

export function passwordOperations(rule: PasswordRule) {
  return {
    changePassword: operation({
      method: 'PUT',
      path: '/api/v1/users/{username_or_id}/password',
      access: 'authenticated',
      isUncounted: true,
      scopes: ['full', 'set_password'],
      body: jsonBody(object({ password: newPassword(rule), current_password: optional(text()) })),
      replies: words({ password_status: 'changed' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidBody', 'wrongPassword',
        'tooManyAttempts', 'busy', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, request }) {
        const origin = originOf(services, request, caller);
        const user = idOrName<UserId>(path.username_or_id);
        const isByLink = caller.signIn === 'token' && caller.token.scope === 'set_password';
        if (isByLink && !isUser(user, caller.user)) {
          return refuse('ownAccountOnly'); // before anything is looked up
        }
        const obstacle = await services.userChanges.findObstacle(user, origin);
        if (obstacle !== undefined) {
          return refuseFailed(obstacle); // before the costly hash
        }
        const isOwn = isUser(user, caller.user) && !isByLink;
        const checkedVersion = isOwn
          ? await checkCurrentPassword(services, caller.user, body.current_password, request)
          : undefined;
        if (isRefusal(checkedVersion)) {
          return checkedVersion;
        }
        const expected = await expectUserVersion(services, user, caller, request);
        if (expected === 'unmet') {
          return refuse('preconditionFailed'); // before the costly hash
        }
        const passwordHash = await hashPassword(services, body.password, request);
        if (isRefusal(passwordHash)) {
          return passwordHash;
        }
        const sparedTokenId = isOwn && caller.signIn === 'token' ? caller.token.id : undefined;
        const outcome = await services.userChanges.setPassword(
          user, { passwordHash, checkedVersion, sparedTokenId }, origin, expected,
        );
        return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
      },
    }),
  };
}

/**
 * Checks the current password, so that a stolen token is not enough to take over the account. The limits of
 * sign-ins apply, so that nobody can guess the password faster here.
 *
 * @returns The version of the password that is right.
 */
async function checkCurrentPassword(
  { users, checkPassword }: Services, user: User, password: string | undefined, client: Client,
): Promise<number | undefined | Refusal<'invalidBody' | 'wrongPassword' | 'tooManyAttempts' | 'busy'>> {
  if (password === undefined) {
    const message = 'is required to change your own password';
    return refuse('invalidBody', [{ pointer: '/current_password', keyword: 'required', message }]);
  }
  const name = toNameKey(user.username);
  const account = await users.findWithPassword(name);
  const found = account?.user.id === user.id ? account : undefined;
  const outcome = await checkPassword({ name, password, client, account: found });
  switch (outcome.kind) {
    case 'right':
      return found?.passwordVersion;
    case 'wrong':
      return refuse('wrongPassword');
    case 'throttled':
    case 'busy':
      return refusePostponed(outcome);
  }
}
