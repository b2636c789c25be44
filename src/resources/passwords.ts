/** `/api/v1/users/{username_or_id}/password`, and the rules for every new password. */
import { jsonBody, type MemberRule } from '../api/body.ts';
import { refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import { done } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import { toNewPassword, type Client } from '../auth/client.ts';
import { TOKEN_PATTERN } from '../auth/token.ts';
import { COMMON_PASSWORDS } from '../auth/common-passwords.ts';
import { object, optional, text } from '../jsonschema/typed.ts';
import { toNameKey } from '../model/name.ts';
import type { PasswordHash, User } from '../model/user.ts';
import { expectUserVersion, isAddressOf, userInPath } from './accounts.ts';

/**
 * The rules for a new password. They do not ask for certain kinds of characters: such rules make passwords
 * worse (NIST SP 800-63B).
 */
export interface PasswordRule {
  /** The minimum number of characters. */
  readonly passwordLengthMin: number;
}

/**
 * The minimum length from which common passwords are refused, too. An operator who asks for so many
 * characters wants more than the specification, which states no rule.
 */
const COMMON_PASSWORDS_REFUSED_FROM = 8;

const PASSWORD_BYTES_MAX = 1_024;

export function newPassword({ passwordLengthMin }: PasswordRule) {
  return text({
    minLength: passwordLengthMin,
    maxLength: PASSWORD_BYTES_MAX,
    // For NUL, see auth/password.ts. Text in the form of a token would be taken for a token at the sign-in.
    pattern: `^(?!${TOKEN_PATTERN.slice(1)})[^\\u0000]*$`,
    title: 'text without NUL characters that is not in the form of a token',
    ...(passwordLengthMin >= COMMON_PASSWORDS_REFUSED_FROM && {
      not: { enum: COMMON_PASSWORDS, title: 'one of the most common passwords' },
    }),
  });
}

/** The limit in bytes, because a schema counts only characters. */
export const passwordRule: MemberRule = {
  keyword: 'maxLength',
  findFault: (password) => Buffer.byteLength(password) > PASSWORD_BYTES_MAX
    ? `must be at most ${PASSWORD_BYTES_MAX} bytes of UTF-8`
    : undefined,
};

export function passwordOperations(rule: PasswordRule) {
  return {
    changePassword: operation({
      method: 'PUT',
      path: '/api/v1/users/{username_or_id}/password',
      parameters: userInPath,
      access: 'authenticated',
      isFree: true,
      scopes: ['full', 'set_password'],
      body: jsonBody(
        object({ password: newPassword(rule), current_password: optional(text()) }),
        { rules: { password: passwordRule } },
      ),
      replies: done({ password_status: 'changed' }),
      refuses: [
        'unauthenticated', 'noSuchUser', 'ownAccountOnly', 'passwordNeeded', 'invalidBody', 'wrongPassword',
        'tooManyAttempts', 'busy', 'preconditionFailed',
      ],
      async handle(services, { path, body, caller, origin, request }) {
        const isByLink = caller.signIn === 'token' && caller.token.scope === 'set_password';
        if (isByLink && !isAddressOf(path.username_or_id, caller.user)) {
          return refuse('ownAccountOnly'); // before anything is looked up
        }
        const obstacle = await services.userChanges.findObstacle(path.username_or_id, origin);
        if (obstacle !== undefined) {
          return refuseFailed(obstacle); // before the costly hash
        }
        const isOwn = isAddressOf(path.username_or_id, caller.user) && !isByLink;
        const checkedVersion = isOwn
          ? await checkCurrentPassword(services, caller.user, body.current_password, request)
          : undefined;
        if (isRefusal(checkedVersion)) {
          return checkedVersion;
        }
        const expected = await expectUserVersion(services, path.username_or_id, caller, request);
        if (expected === 'unmet') {
          return refuse('preconditionFailed'); // before the costly hash
        }
        const passwordHash = await hashPassword(services, body.password, request);
        if (isRefusal(passwordHash)) {
          return passwordHash;
        }
        const sparedTokenId = isOwn && caller.signIn === 'token' ? caller.token.id : undefined;
        const outcome = await services.userChanges.setPassword(
          path.username_or_id, { passwordHash, checkedVersion, sparedTokenId }, origin, expected,
        );
        return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
      },
    }),
  };
}

/** @param findObstacle - Called when the place in the queue comes. */
export async function hashPassword<Obstacle extends Refusal = never>(
  { passwords }: Services, password: string, client: Client,
  findObstacle?: () => Promise<Obstacle | undefined>,
): Promise<PasswordHash | Obstacle | Refusal<'busy'>> {
  const hashing = await passwords.hash(password, toNewPassword(client), findObstacle);
  return hashing.kind === 'busy' ? refuse('busy', hashing.retryAfterSeconds) : hashing.result;
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
      return refuse('tooManyAttempts', outcome.retryAfterSeconds);
    case 'busy':
      return refuse('busy', outcome.retryAfterSeconds);
  }
}
