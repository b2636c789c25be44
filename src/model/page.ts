export const ITEMS_PER_PAGE_MAX = 1_000;

export interface PageRequest {
  /** Counted from 1. */
  readonly number: number;
  readonly sizeMax: number;
}

/** Items with equal keys are in the order of their ids. */
export interface SortOrder<Key extends string> {
  readonly by: Key;
  readonly isDescending: boolean;
}

export const BY_ID: SortOrder<'id'> = { by: 'id', isDescending: false };
