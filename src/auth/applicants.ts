/** In whose name passwords are hashed: the sources between which the queue is fair. */
import { toSite } from './network.ts';
import type { Applicant } from './work-queue.ts';

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** False when the connection is closed. */
  readonly isWanted: () => boolean;
}

/** The program itself, at the start and in commands. */
export const PROGRAM: Applicant = { source: 'program', isKnown: true, isWanted: () => true };

/** @param isKnown - The user has lately signed in from there. */
export function toSignIn({ address, isWanted }: Client, isKnown: boolean): Applicant {
  return { source: `sign-in ${toSite(address)}`, isKnown, isWanted };
}

/** A source of its own: registrations do not keep out the sign-ins of the same network, nor the other way round. */
export function toNewPassword({ address, isWanted }: Client): Applicant {
  return { source: `new password ${toSite(address)}`, isKnown: false, isWanted };
}
