import type { UserId } from './user.ts';

export type ProjectId = number & { readonly __brand: 'ProjectId' };

/** The rules for new names are in name.ts and in resources/rules.ts. */
export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly ownerId: UserId;
}
