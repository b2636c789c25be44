/** What query parameters may be: the words and bounds by which they are read, and by which the API document describes them. */

export const ITEMS_PER_PAGE_MAX = 1000;

/** By which lists can be sorted, besides `id`. */
export const USER_SORT_KEYS = ['username', 'date_created'] as const;
export const PROJECT_SORT_KEYS = ['name', 'date_created'] as const;

/** What becomes of the projects of a user who is deleted. */
export const OWNED_PROJECTS_CHOICES = ['refuse', 'delete', 'transfer'] as const;

/** @returns The words for `sort`: each key, and with a minus before it the same downwards. */
export function toSortWords<Key extends string>(keys: readonly Key[]): readonly (Key | 'id' | `-${Key | 'id'}`)[] {
  return (['id', ...keys] as const).flatMap((key) => [key, `-${key}` as const]);
}
