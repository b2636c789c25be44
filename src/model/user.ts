import type { Timestamp } from './clock.ts';

/** A user's id, assigned by the database and never reused. The brand keeps it apart from other numbers. */
export type UserId = number & { readonly __brand: 'UserId' };

export interface User {
  readonly id: UserId;
  readonly username: string;
  readonly email: string;
  readonly dateCreated: Timestamp;
  readonly isAdmin: boolean;
  /** A disabled user cannot sign in. */
  readonly isDisabled: boolean;
}

/** A user with the data that a password check needs. */
export interface Account {
  readonly user: User;
  readonly passwordHash: PasswordHash;
  /** Counts the passwords that the user has had. */
  readonly passwordVersion: number;
}

/** The stored password of a user, as a PHC string: see `auth/password.ts`. */
export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

/** Stands for the password of an invited user, who has not set one yet. No password matches it. */
export const NO_PASSWORD = '' as PasswordHash;
