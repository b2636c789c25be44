/** The client of a request, and the groups in which clients take turns (`scheduling/fair-queue.ts`). */
import { toSite } from '../http/client-address.ts';
import type { NameKey } from '../model/name.ts';
import type { User } from '../model/user.ts';
import type { QueueClient } from '../scheduling/fair-queue.ts';

export interface Client extends Pick<QueueClient, 'isWanted'> {
  readonly address: string;
}

/**
 * After a user signs in, further sign-ins with the same username from the same network are a separate group
 * for a day. So neither other clients on this network nor attacks from many addresses delay this user.
 *
 * All other sign-ins from one site (an IPv4 address, or an IPv6 /48 network) are one group. This group
 * contains a group for each username. Therefore, a flood of sign-ins with one username hardly delays sign-ins
 * with other usernames.
 */
export function toSignIn({ address, isWanted }: Client, name: NameKey, isRemembered: boolean): QueueClient {
  const site = toSite(address);
  const groups = isRemembered
    ? ['remembered', `remembered ${site} ${name}`]
    : ['sign-in', `sign-in ${site}`, `sign-in ${site} ${name}`];
  return { groups, isWanted };
}

/** Clients that set a password are a separate group, so that registrations do not delay sign-ins. */
export function toNewPassword({ address, isWanted }: Client): QueueClient {
  return { groups: ['new password', `new password ${toSite(address)}`], isWanted };
}

export function toReader({ address, isWanted }: Client, user: Pick<User, 'id'> | undefined): QueueClient {
  return { groups: [user === undefined ? `site ${toSite(address)}` : `user ${user.id}`], isWanted };
}
