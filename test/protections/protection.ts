/** One row of the table of protections, with mutations that prove it. */
import type { Mutation } from '../support/mutants.ts';

export interface Protection {
  /** Markdown. */
  readonly protection: string;
  /** The intention of the attacker. */
  readonly wants: string;
  /** Each takes a part of the protection away. */
  readonly mutations: readonly Removal[];
}

/** A mutation, and the test that fails because of it. */
export interface Removal extends Mutation {
  /** The title of the test. */
  readonly title: string;
}
