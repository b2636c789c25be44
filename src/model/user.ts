import type { Timestamp } from './clock.ts';

/** Assigned by the database and never reused. */
export type UserId = number & { readonly __brand: 'UserId' };

export interface User {
  readonly id: UserId;
  readonly username: string;
  readonly email: string;
  readonly dateCreated: Timestamp;
  readonly isAdmin: boolean;
  readonly isDisabled: boolean;
}

export interface Account {
  readonly user: User;
  readonly passwordHash: PasswordHash;
  /** Counts the passwords that the user has had. */
  readonly passwordVersion: number;
}

/** A PHC string. */
export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

/** For an invited user who has not set a password yet. No password matches. */
export const NO_PASSWORD = '' as PasswordHash;
