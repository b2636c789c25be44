import type { UserId } from './user.ts';

/** Assigned by the database and never reused. */
export type ProjectId = number & { readonly __brand: 'ProjectId' };

export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly ownerId: UserId;
}
