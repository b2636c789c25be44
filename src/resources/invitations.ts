/**
 * The caller of `POST /api/v1/users`. Registration may be open to everybody; an administrator may also leave
 * the password out. This is an invitation: the user sets the password with a password link.
 */
import { refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest } from '../http/message.ts';

const PASSWORD_MISSING = { pointer: '/password', keyword: 'required', message: 'is required' };

/**
 * Valid credentials that come with an open registration make their user its author. Others are ignored, and
 * so are tokens that may change nothing. A wrong password counts for the throttle as everywhere.
 */
export async function findAuthor(
  { authenticate }: Services, request: HttpRequest,
): Promise<Caller | undefined> {
  const { authorization } = request.headers;
  const outcome = authorization === undefined ? undefined : await authenticate(authorization, request);
  return outcome?.kind === 'authenticated' && hasAllRights(outcome.caller) ? outcome.caller : undefined;
}

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

/** A token for certain programs has few rights here, whatever its scope: the programs hold it. */
function hasAllRights(caller: Caller): boolean {
  return caller.signIn === 'password'
    || (caller.token.scope === 'full' && caller.token.audience === undefined);
}
