/** The types of the table of protections. Mutations prove that each protection is tested. */
import type { Mutation } from '../support/mutants.ts';

/**
 * The protections against each attacker, by the intention of the attacker. Each protection begins with its
 * description in Markdown.
 */
export type Protections = Readonly<Record<string, Readonly<Record<
  string, readonly [protection: string, ...mutations: readonly Row[]]
>>>>;

/** A row of the table of protections. */
export interface Protection {
  readonly wants: string;
  readonly protection: string;
  /** Each mutation removes a part of the protection, so that the named test fails. */
  readonly mutations: readonly Row[];
}

/** The path of the test file is written without `test/` and `.test.ts`. */
type Row = readonly [file: string, find: string, replace: string, test: string, title: string];

/** A mutation, and the title of the test that fails because of the mutation. */
export interface Removal extends Mutation {
  readonly title: string;
}

export function toRemoval([file, find, replace, test, title]: Row): Removal {
  return { file, find, replace, testFile: `test/${test}.test.ts`, title };
}
