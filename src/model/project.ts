import type { Timestamp } from './clock.ts';
import type { UserId } from './user.ts';

/** A project's id, assigned by the database and never used again. */
export type ProjectId = number & { readonly __brand: 'ProjectId' };

export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  readonly ownerId: UserId;
  /** Counts the changes of the record, from 1; those of its owner's record are not among them. */
  readonly version: number;
}
