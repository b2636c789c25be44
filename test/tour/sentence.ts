/** What the tour is made of. Files are named as below `src/` and `test/`. */

/** File names, each with texts in it. */
type Places = Readonly<Record<string, string | readonly string[]>>;

export interface Sentence {
  /** What the specification says, in our words. */
  readonly says: string;
  /** What makes it true: parts of lines of `src/`, each of which its file has once. */
  readonly source: Places;
  /** What shows it: titles of tests, as the test runner reports them. */
  readonly tests: Places;
}

/** The sentences under one heading of the specification, in their order. */
export interface Section {
  /** `4.3` is the third heading of the third level below the fourth of the second; what stands before the first is `0`. */
  readonly number: string;
  readonly title: string;
  readonly sentences: readonly Sentence[];
}
