/** A page of a list, as the `page` and `items_per_page` parameters ask for it. */
export interface PageRequest {
  /** From 1. */
  readonly number: number;
  /** Items on a page, 1 to 1000. */
  readonly sizeMax: number;
}

export interface Page<Item> {
  /** In ascending order of their ids. */
  readonly items: readonly Item[];
  /** True when at least one item follows this page. */
  readonly hasNext: boolean;
}
