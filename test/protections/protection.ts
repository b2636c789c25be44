/** A row of the table of protections. Mutations prove that the protection is tested. */
import type { Mutation } from '../support/mutants.ts';

export interface Protection {
  /** The description of the protection, in Markdown. */
  readonly protection: string;
  /** The intention of the attacker. */
  readonly wants: string;
  /** Each mutation removes a part of the protection. */
  readonly mutations: readonly Removal[];
}

/** A mutation, and the test that fails because of the mutation. */
export interface Removal extends Mutation {
  /** The title of the test that fails. */
  readonly title: string;
}
