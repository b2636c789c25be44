/** Invitations: an administrator creates a user without a password, who sets one with a password link. */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Services } from './services.ts';
import { refuse, type Refusal } from './problems.ts';

const PASSWORD_MISSING = { pointer: '/password', keyword: 'required', message: 'is required' };

/**
 * Only an administrator may leave the password out. Anybody else gets the answer that the body lacks it.
 *
 * @param caller - Absent where registration is open. The credentials are then checked here.
 */
export async function findInviter(
  { authenticate }: Services, caller: Caller | undefined, request: HttpRequest,
): Promise<Caller | Refusal<'tooManyAttempts' | 'busy' | 'invalidBody'>> {
  const outcome = caller === undefined
    ? await authenticate(request.headers.authorization, request)
    : { kind: 'authenticated' as const, caller };
  switch (outcome.kind) {
    case 'throttled':
      return refuse('tooManyAttempts', outcome.retryAfterSeconds);
    case 'busy':
      return refuse('busy', outcome.retryAfterSeconds);
    case 'rejected':
      return refuse('invalidBody', [PASSWORD_MISSING]);
    case 'authenticated':
      return outcome.caller.user.isAdmin && hasAllRights(outcome.caller)
        ? outcome.caller
        : refuse('invalidBody', [PASSWORD_MISSING]);
  }
}

function hasAllRights(caller: Caller): boolean {
  return caller.signIn === 'password' || caller.token.scope === 'full';
}
