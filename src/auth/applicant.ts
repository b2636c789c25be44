/** The clients in whose name jobs enter a fair queue, and the sources by which they take turns. */
import type { User } from '../model/user.ts';
import type { Applicant } from '../scheduling/fair-queue.ts';
import { toSite } from './networks.ts';

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** False once the client has closed the connection, or its side of it. */
  readonly isWanted: () => boolean;
}

/** Stands for the program itself, at start-up and in admin commands. */
export const PROGRAM: Applicant = { source: 'program', isKnown: true, isWanted: () => true };

/** @param isKnown - True if the user signed in from this network recently. */
export function toSignIn({ address, isWanted }: Client, isKnown: boolean): Applicant {
  return { source: `sign-in ${toSite(address)}`, isKnown, isWanted };
}

/** New passwords are a source of their own, so registrations do not block sign-ins of the same network. */
export function toNewPassword({ address, isWanted }: Client): Applicant {
  return { source: `new password ${toSite(address)}`, isKnown: false, isWanted };
}

/** @param user - The caller, if the operation needs one. */
export function toReader({ address, isWanted }: Client, user: Pick<User, 'id'> | undefined): Applicant {
  const source = user === undefined ? `network ${toSite(address)}` : `user ${user.id}`;
  return { source, isKnown: user !== undefined, isWanted };
}
