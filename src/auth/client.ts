/** The client of a request, and the groups in which clients take turns (`scheduling/fair-queue.ts`). */
import { toSite } from '../http/client-address.ts';
import type { NameKey } from '../model/name.ts';
import type { User } from '../model/user.ts';
import type { QueueClient } from '../scheduling/fair-queue.ts';

export interface Client extends Pick<QueueClient, 'isWanted'> {
  readonly address: string;
}

/**
 * For a day after a sign-in on the client's network, the user has separate turns. Other clients on the
 * network, or attacks from many addresses, do not delay this user. A site can have many networks. Within a
 * site, each username gets its turn. So a flood of sign-ins with one username hardly delays sign-ins with
 * other usernames.
 */
export function toSignIn({ address, isWanted }: Client, name: NameKey, isRemembered: boolean): QueueClient {
  const site = toSite(address);
  const groups = isRemembered
    ? ['remembered', `remembered ${site} ${name}`]
    : ['sign-in', `sign-in ${site}`, `sign-in ${site} ${name}`];
  return { groups, isWanted };
}

/** New passwords have separate turns in the queue for hashes, so that registrations do not delay sign-ins. */
export function toNewPassword({ address, isWanted }: Client): QueueClient {
  return { groups: ['new password', `new password ${toSite(address)}`], isWanted };
}

export function toReader({ address, isWanted }: Client, user: Pick<User, 'id'> | undefined): QueueClient {
  return { groups: [user === undefined ? `site ${toSite(address)}` : `user ${user.id}`], isWanted };
}
