/** The parts that all changes of an account share. */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { User, UserId } from '../model/user.ts';
import { tagged } from './answers.ts';
import { isConditional, isPreconditionFailed } from './changes.ts';
import { idOrName } from './parameters.ts';
import type { Services } from './services.ts';

export const userInPath = {
  username_or_id: idOrName<UserId>(
    'A username, case ignored, or the id of a user: digits alone are an id.', 'ada',
  ),
};

export function mayChangeAccount(caller: Caller, { id: userId }: User): boolean {
  return userId === caller.user.id || caller.user.isAdmin;
}

/**
 * True when a precondition fails. Reads the account with its projects only if the request has preconditions.
 */
export async function hasOtherState(
  { users }: Services,
  { id: userId }: User,
  request: HttpRequest,
): Promise<boolean> {
  const current = isConditional(request) ? await users.findRepresentation({ id: userId }) : undefined;
  return current !== undefined && isPreconditionFailed(request, tagged(current));
}
