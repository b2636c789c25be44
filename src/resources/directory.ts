/**
 * Decides which users and projects a caller may see. With `DIRECTORY=closed`, other users and their projects
 * do not exist for plain users: every answer about them is the answer about an unknown name. Only a taken
 * name is still 422, which does not say whose it is.
 */
import type { IdOrName } from '../api/parameters.ts';
import { refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import { toReader, type Client } from '../auth/client.ts';
import type { Origin } from '../model/audit.ts';
import type { User, UserId } from '../model/user.ts';
import type { UserRepresentation } from '../stores/users.ts';

/** True if the caller may know of a user, and so of the projects of that user. */
function maySee({ only }: Origin, userId: UserId | undefined): boolean {
  return only === undefined || only === userId;
}

/** Finds a user by name, if the caller may know of that user. */
export async function findVisible(
  { users }: Services, name: string, origin: Origin,
): Promise<User | undefined> {
  const user = await users.find({ name });
  return user !== undefined && maySee(origin, user.id) ? user : undefined;
}

/**
 * Reads a user with projects. Only a long record, of up to 256 KiB, takes turns with lists. Decides first: a
 * hidden user must take no longer than an unknown one.
 */
export async function readVisible(
  { users, reads }: Services, address: IdOrName<UserId>, origin: Origin, client: Client,
): Promise<UserRepresentation | undefined | Refusal<'busy'>> {
  const isHidden = origin.only !== undefined
    && address !== undefined && !maySee(origin, (await users.find(address))?.id);
  if (address === undefined || isHidden) {
    return undefined;
  }
  const short = await users.findShortRepresentation(address);
  if (short !== undefined) {
    return short;
  }
  const outcome = await reads.run(() => users.findRepresentation(address), toReader(client, origin.user));
  return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
}
