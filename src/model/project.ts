import type { Timestamp } from './clock.ts';
import type { UserId, UserSummary } from './user.ts';

/** A project's id, assigned by the database and never used again. */
export type ProjectId = number & { readonly __brand: 'ProjectId' };

export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  readonly ownerId: UserId;
  readonly owner: UserSummary;
}
