import type { Timestamp } from './clock.ts';
import type { UserId } from './user.ts';

/** A project's id, assigned by the database and never reused. */
export type ProjectId = number & { readonly __brand: 'ProjectId' };

export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  readonly ownerId: UserId;
  /** Counts changes of the project, from 1. A change of its owner's record does not count. */
  readonly version: number;
}
