/** Parts of the operations on accounts that several of these operations share. */
import { expectVersion } from '../api/changes.ts';
import { idOrName, type IdOrName } from '../api/parameters.ts';
import { refuse, type Refusal } from '../api/problems.ts';
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
 * Counts a rename as one that meets a taken name until it is released, so that parallel requests learn no
 * more names than sequential ones.
 */
export function limitNaming({ takenNames }: Services, name: string | undefined, address: string) {
  const network = toNetwork(address);
  return name === undefined
    ? { secondsToWait: 0, release: () => {} }
    : { secondsToWait: takenNames.secondsToWait(network), release: takenNames.reserve(network) };
}

/**
 * Refuses a taken username before the costly hash. The response reveals which usernames exist, as specified,
 * so such responses are rate limited. The limit applies to new names only: anonymous clients must not be able
 * to lock out users.
 */
export async function refuseTakenUsername(
  { users, takenNames }: Services, name: string, address: string,
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
  if (late !== undefined || holder === undefined) {
    return late;
  }
  takenNames.reserve(network); // never released: each taken name counts
  return refuse('usernameTaken', name);

  function refuseTooManyTakenNames(): Refusal<'tooManyAttempts'> | undefined {
    const retryAfterSeconds = takenNames.secondsToWait(network);
    return retryAfterSeconds > 0 ? refuse('tooManyAttempts', retryAfterSeconds) : undefined;
  }
}
