/**
 * The client of a request: the network that counts as one client, and the name under which it takes turns in
 * a fair queue. An IPv6 client may choose among more addresses than any limit can count.
 */
import type { NameKey } from '../model/name.ts';
import type { User } from '../model/user.ts';
import type { QueueClient } from '../scheduling/fair-queue.ts';

export interface Client {
  readonly address: string;
  /** False once the connection is closed. */
  readonly isWanted: () => boolean;
}

/** Stands for the program itself, at start-up and in admin commands. */
export const PROGRAM: QueueClient = { name: 'program', isKnown: true, isWanted: () => true };

/**
 * @param username - The name, if the user signed in from this network recently. Such users take turns with
 *   each other, so that failed sign-ins of one do not delay the others.
 */
export function toSignIn({ address, isWanted }: Client, username: NameKey | undefined): QueueClient {
  const site = toSite(address);
  return username === undefined
    ? { name: `sign-in ${site}`, isKnown: false, isWanted }
    : { name: `sign-in ${site} ${username}`, isKnown: true, isWanted };
}

/** New passwords take turns of their own, so registrations do not block sign-ins of the same network. */
export function toNewPassword({ address, isWanted }: Client): QueueClient {
  return { name: `new password ${toSite(address)}`, isKnown: false, isWanted };
}

/** @param user - The caller, if the operation needs one. */
export function toReader({ address, isWanted }: Client, user: Pick<User, 'id'> | undefined): QueueClient {
  const name = user === undefined ? `network ${toSite(address)}` : `user ${user.id}`;
  return { name, isKnown: user !== undefined, isWanted };
}

/** An IPv6 customer holds at least a /64 network (RFC 6177), so all addresses of a /64 count as one. */
export function toNetwork(address: string): string {
  return toPrefix(address, 64);
}

/** @returns The /48 of an IPv6 address. Many customers hold a /48, which contains 65 536 networks. */
function toSite(address: string): string {
  return toPrefix(address, 48);
}

function toPrefix(address: string, bits: number): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) {
    return address;
  }
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`;
}
