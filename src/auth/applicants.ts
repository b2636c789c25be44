/** Names the sources of password hashes. The work queue treats all sources fairly. */
import { toSite } from './network.ts';
import type { Applicant } from './work-queue.ts';

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** False once the connection is closed. */
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
