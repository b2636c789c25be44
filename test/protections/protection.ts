/** Mutations prove that the tests check each protection. */
import type { Mutation } from '../support/mutants.ts';

/** The outer keys are attackers, and the inner keys are intentions. `protection` is a text in Markdown. */
export type Protections = Readonly<Record<string, Readonly<Record<
  string, readonly [protection: string, ...mutations: readonly Row[]]
>>>>;

export interface Protection {
  readonly wants: string;
  readonly protection: string;
  /** Each mutation weakens the protection, so that the named test fails. */
  readonly mutations: readonly Row[];
}

/** `test` names a test file: `api/05-users` stands for `test/api/05-users.test.ts`. */
type Row = readonly [file: string, find: string, replace: string, test: string, title: string];

/** Because of the mutation, the test with the title `title` fails. */
export interface Removal extends Mutation {
  readonly title: string;
}

export function toRemoval([file, find, replace, test, title]: Row): Removal {
  return { file, find, replace, testFile: `test/${test}.test.ts`, title };
}
