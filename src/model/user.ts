import type { Timestamp } from './clock.ts';

/** Ids are never reused. */
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
  /** Increases by one when the password changes. */
  readonly passwordVersion: number;
}

export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

/** The hash of an invited user who has not set a password yet; no password matches this hash. */
export const NO_PASSWORD = '' as PasswordHash;
