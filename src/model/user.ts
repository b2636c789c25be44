import type { Timestamp } from './clock.ts';
import type { Project } from './project.ts';

/** A user's id, assigned by the database and never used again; not confused with another number. */
export type UserId = number & { readonly __brand: 'UserId' };

export interface User {
  readonly id: UserId;
  readonly username: string;
  readonly email: string;
  readonly dateCreated: Timestamp;
  readonly isAdmin: boolean;
}

/** The stored password of a user, as a PHC string: see `auth/password.ts`. */
export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

export interface UserWithProjects extends User {
  /** The projects that the user owns, in ascending order of their ids. */
  readonly projects: readonly Project[];
}

/** What a project shows of its owner. */
export interface UserSummary {
  readonly username: string;
  readonly email: string;
}
