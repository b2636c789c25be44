/**
 * Decides which users and projects a caller may see. With `DIRECTORY=closed`, other users and their projects
 * do not exist for plain users: every answer about them is the answer about an unknown name. Only a taken
 * name is still 422, which does not say whose it is.
 */
import type { IdOrName } from '../api/parameters.ts';
import { refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { toReader, type Client } from '../auth/client.ts';
import type { ProjectId } from '../model/project.ts';
import type { User, UserId } from '../model/user.ts';
import type { FoundProject } from '../stores/projects.ts';
import type { UserRepresentation } from '../stores/users.ts';

/** @returns The only user of whom the caller may know; `undefined` if the caller may know of all. */
export function onlyVisible({ directory }: Services, { user }: Caller): UserId | undefined {
  return directory === 'open' || user.isAdmin ? undefined : user.id;
}

/** True if the caller may know of a user, and so of the projects of that user. */
export function maySee(services: Services, caller: Caller, userId: UserId | undefined): boolean {
  const only = onlyVisible(services, caller);
  return only === undefined || only === userId;
}

/** Finds a user by name, if the caller may know of that user. */
export async function findVisible(
  services: Services, name: string, caller: Caller,
): Promise<User | undefined> {
  const user = await services.users.find({ name });
  return user !== undefined && maySee(services, caller, user.id) ? user : undefined;
}

/**
 * Reads a user with projects. Only a long record, of up to 256 KiB, takes turns with lists. Decides first: a
 * hidden user must take no longer than an unknown one.
 */
export async function readVisible(
  services: Services, address: IdOrName<UserId>, caller: Caller, client: Client,
): Promise<UserRepresentation | undefined | Refusal<'busy'>> {
  const { users, reads } = services;
  const isHidden = onlyVisible(services, caller) !== undefined
    && address !== undefined && !maySee(services, caller, (await users.find(address))?.id);
  if (address === undefined || isHidden) {
    return undefined;
  }
  const short = await users.findShortRepresentation(address);
  if (short !== undefined) {
    return short;
  }
  const outcome = await reads.run(() => users.findRepresentation(address), toReader(client, caller.user));
  return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
}

export async function findVisibleProject(
  services: Services, address: IdOrName<ProjectId>, caller: Caller,
): Promise<FoundProject | undefined> {
  return address && services.projects.find(address, onlyVisible(services, caller));
}
