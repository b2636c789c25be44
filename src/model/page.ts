/** A page of a list, as the `page` and `items_per_page` parameters ask for it. */
export interface PageRequest {
  /** From 1. */
  readonly number: number;
  /** Items on a page, 1 to 1000. */
  readonly sizeMax: number;
}

/** A page as text: the database has made JSON of its rows, and nobody takes it apart again. */
export interface JsonPage {
  /** An array of the items, in ascending order of their ids. */
  readonly json: string;
  /** How many items there are. */
  readonly count: number;
  /** True when at least one item follows this page. */
  readonly hasNext: boolean;
}
