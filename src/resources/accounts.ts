/** Parts of the operations on accounts that several of these operations share. */
import { expectVersion } from '../api/changes.ts';
import { idOrName, type IdOrName } from '../api/parameters.ts';
import { isRefusal } from '../api/problems.ts';
import { tagged, type Tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toNetwork } from '../auth/client.ts';
import type { HttpRequest } from '../http/message.ts';
import { toNameKey } from '../model/name.ts';
import type { User, UserId } from '../model/user.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { UserRepresentation } from '../stores/users.ts';

export const userInPath = {
  username_or_id: idOrName<UserId>(),
};

/** True if the name or the id in a path is that of the user. */
export function isAddressOf(address: IdOrName<UserId>, { id, username }: User): boolean {
  return address !== undefined
    && ('id' in address ? address.id === id : toNameKey(address.name) === toNameKey(username));
}

/**
 * The tag includes the version only for callers who may change the record: others must not learn of a new
 * password from the tag. Only administrators learn who is invited and has not set a password yet.
 */
export function representation(
  { id: userId, json, version, username: name, hasMoreProjects, isInvited }: UserRepresentation,
  { user: reader }: Caller,
): Tagged {
  const isChangeable = reader.isAdmin || reader.id === userId;
  const link = `</api/v1/projects?owner=${encodeURIComponent(name)}>; rel="related"`; // RFC 8288
  return {
    ...tagged(isChangeable ? { json, version } : { json }),
    ...(reader.isAdmin && { json: `${json.slice(0, -1)},"invited":${isInvited}}` }),
    ...(hasMoreProjects && { headers: { 'Link': link } }),
  };
}

/** Reads the account with its projects only if the request has preconditions. */
export function expectUserVersion(
  { users }: Services, address: IdOrName<UserId>, caller: Caller, request: HttpRequest,
): Promise<ExpectedVersion> {
  return expectVersion(request, async () => {
    const mayChange = caller.user.isAdmin || isAddressOf(address, caller.user);
    const found = mayChange ? await users.findRepresentation(address) : undefined;
    return found && { ...representation(found, caller), version: found.version };
  });
}

/**
 * Counts attempts to take a name that is taken, because the answer tells which usernames exist, as specified.
 * Beyond the limit, a free name is refused as well: the status would tell that it is free. The limit applies
 * to new names only, so nobody can lock out users with it. An attempt counts until its name proves to be
 * free, so that parallel attempts learn no more than sequential ones.
 *
 * @param attempt - Refuses if there are seconds to wait.
 */
export async function limitNaming<Outcome>(
  { takenNames }: Services, address: string, attempt: (secondsToWait: number) => Promise<Outcome>,
): Promise<Outcome> {
  const network = toNetwork(address);
  const secondsToWait = takenNames.secondsToWait(network);
  const release = takenNames.reserve(network);
  let isTaken = false;
  try {
    const outcome = await attempt(secondsToWait);
    isTaken = isRefusal(outcome) && outcome.refused === 'usernameTaken';
    return outcome;
  } finally {
    if (!isTaken) {
      release();
    }
  }
}
