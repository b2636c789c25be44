/** Sets and changes passwords, at `/api/v1/users/{username_or_id}/password`. */
import { jsonBody } from '../api/body.ts';
import { operation } from '../api/operation.ts';
import { isRefusal, refuse, resultOf, type Refusal } from '../api/problems.ts';
import { expectVersion, words } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Client } from '../auth/client.ts';
import { object, optional, text } from '../jsonschema/schema.ts';
import { idOrName, toNameKey } from '../model/name.ts';
import type { User, UserId } from '../model/user.ts';
import { newPassword } from './rules.ts';

export function passwordOperations(passwordLengthMin: number) {
  return {
    changePassword: operation({
      method: 'PUT',
      path: '/api/v1/users/{username_or_id}/password',
      access: 'authenticated',
      isUncounted: true,
      scopes: ['full', 'set_password'],
      body: jsonBody(object({
        password: newPassword(passwordLengthMin), current_password: optional(text()),
      })),
      replies: words({ password_status: 'changed' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidBody', 'wrongPassword',
        'tooManyAttempts', 'busy', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, origin, request }) {
        const user = idOrName<UserId>(path.username_or_id);
        const isByLink = caller.token?.scope === 'set_password';
        const { id, username } = caller.user;
        const isSelf = 'id' in user ? user.id === id : toNameKey(user.name) === toNameKey(username);
        if (isByLink && !isSelf) {
          return refuse('ownAccountOnly'); // does not reveal whether the user exists
        }
        const isOwn = isSelf && !isByLink;
        const checkedVersion = isOwn
          ? await checkCurrentPassword(services, caller.user, body.current_password, request)
          : undefined;
        if (isRefusal(checkedVersion)) {
          return checkedVersion;
        }
        const read = () => services.users.findRepresentation(user, caller.visibleUserId);
        const expected = await expectVersion(request, read);
        const passwordHash = resultOf(await services.passwords.hash(body.password, request));
        if (isRefusal(passwordHash)) {
          return passwordHash;
        }
        const change = { passwordHash, checkedVersion, sparedTokenId: isOwn ? caller.token?.id : undefined };
        return resultOf(await services.userChanges.setPassword(user, change, origin(), expected));
      },
    }),
  };
}

/**
 * Asks for the current password, which the thief of a token does not know. The limits for sign-ins apply,
 * because a thief could try to guess the current password.
 *
 * @returns The version of the current password.
 */
async function checkCurrentPassword(
  { checkPassword }: Services, { id, username }: User, password: string | undefined, client: Client,
): Promise<number | Refusal<'invalidBody' | 'wrongPassword' | 'tooManyAttempts' | 'busy'>> {
  if (password === undefined) {
    const message = 'is required to change your own password';
    return refuse('invalidBody', [{ pointer: '/current_password', keyword: 'required', message }]);
  }
  const account = resultOf(await checkPassword(toNameKey(username), password, client));
  if (isRefusal(account)) {
    return account;
  }
  // After the sign-in, another user may have taken the username.
  return account?.user.id === id ? account.passwordVersion : refuse('wrongPassword');
}
