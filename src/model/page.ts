/** A page of a list, as the `page` and `items_per_page` parameters ask for it. */
export interface PageRequest {
  /** From 1. */
  readonly number: number;
  /** Items on a page, 1 to 1000. */
  readonly sizeMax: number;
}

/** The order of a list; what is equal by its key is in the order of ids. */
export interface SortOrder<Key extends string> {
  readonly by: Key;
  readonly isDescending: boolean;
}

export const BY_ID: SortOrder<'id'> = { by: 'id', isDescending: false };

/** How many items match, over all pages of a list or in an overview. */
export interface Total {
  readonly count: number;
  /** `at_least`: counting ended at a bound, and there may be more. */
  readonly relation: 'exact' | 'at_least';
}

export interface Page<Item> {
  /** In ascending order of their ids. */
  readonly items: readonly Item[];
  /** True when at least one item follows this page. */
  readonly hasNext: boolean;
  readonly total: Total;
}

/** A page as text: the database has made JSON of its rows, and nobody takes it apart again. */
export interface JsonPage {
  /**
   * The items, parted by commas, in ascending order of their ids unless another was asked for. A page that is
   * too long for one piece is made while it is sent.
   */
  readonly items: string | AsyncIterable<string>;
  /** How many items there are. */
  readonly count: number;
  /** True when at least one item follows this page. */
  readonly hasNext: boolean;
  readonly total: Total;
}
