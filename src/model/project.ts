import type { UserId } from './user.ts';

export type ProjectId = number & { readonly __brand: 'ProjectId' };

export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly ownerId: UserId;
}
