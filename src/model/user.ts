import type { Timestamp } from './clock.ts';

/** Assigned by the database and never reused. The brand keeps an id apart from other numbers. */
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

/** A stored password, as a PHC string: see `auth/password.ts`. */
export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

/** The stored password of an invited user, who has not set one yet. No password matches this value. */
export const NO_PASSWORD = '' as PasswordHash;
