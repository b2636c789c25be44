/** The checks of accounts that a schema cannot make, and that several operations share. */
import { expectVersion, isConditional } from '../api/changes.ts';
import { idOrName, type IdOrName } from '../api/parameters.ts';
import { refuse, type Refusal } from '../api/problems.ts';
import { tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toNetwork } from '../auth/client.ts';
import type { HttpRequest } from '../http/message.ts';
import { toNameKey } from '../model/name.ts';
import type { User, UserId } from '../model/user.ts';
import type { ExpectedVersion } from '../stores/guarded.ts';
import { maySee } from './directory.ts';

export const userInPath = {
  username_or_id: idOrName<UserId>(),
};

/** True if the name or the id in a path is that of the user. */
export function isAddressOf(address: IdOrName<UserId>, { id, username }: User): boolean {
  return address !== undefined
    && ('id' in address ? address.id === id : toNameKey(address.name) === toNameKey(username));
}

/** Finds the user in the path, whom only the user and administrators may change. */
export async function findChangeable(
  services: Services, name: IdOrName<UserId>, caller: Caller,
): Promise<User | Refusal<'noSuchUser' | 'ownAccountOnly'>> {
  const user = name && (await services.users.find(name));
  if (user === undefined || !maySee(services, caller, user.id)) {
    return refuse('noSuchUser');
  }
  return user.id === caller.user.id || caller.user.isAdmin ? user : refuse('ownAccountOnly');
}

/** Reads the account with its projects only if the request has preconditions. */
export async function expectUserVersion(
  { users }: Services, { id }: User, request: HttpRequest,
): Promise<ExpectedVersion> {
  const current = isConditional(request) ? await users.findRepresentation({ id }) : undefined;
  return current === undefined ? 'any' : expectVersion(request, tagged(current), current.version);
}

/**
 * Refuses a taken username before the costly hash. The response reveals which usernames exist, as specified,
 * so such responses are rate limited. The limit applies to new names only: anonymous clients must not be able
 * to lock out users.
 *
 * @param renamed - A user may write the own name in another case.
 */
export async function refuseTakenUsername(
  { users, takenNames }: Services, name: string, address: string, renamed?: User,
): Promise<Refusal<'tooManyAttempts' | 'usernameTaken'> | undefined> {
  const network = toNetwork(address);
  const early = refuseTooManyTakenNames();
  if (early !== undefined) {
    return early;
  }
  const holder = await users.find({ name });
  // Checks the limit again, because of concurrent registrations. A free name is refused, too: otherwise the
  // status would reveal, beyond the limit, which names are free.
  const late = refuseTooManyTakenNames();
  if (late !== undefined || holder === undefined || holder.id === renamed?.id) {
    return late;
  }
  takenNames.reserve(network); // never released: each taken name counts
  return refuse('usernameTaken', name);

  function refuseTooManyTakenNames(): Refusal<'tooManyAttempts'> | undefined {
    const retryAfterSeconds = takenNames.secondsToWait(network);
    return retryAfterSeconds > 0 ? refuse('tooManyAttempts', retryAfterSeconds) : undefined;
  }
}
