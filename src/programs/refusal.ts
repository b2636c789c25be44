/**
 * A program cannot do what it was asked to, for a reason that the person who started it can change. The
 * message says what failed and what to do, and is all that is shown. Any other error is a defect, which is
 * shown with its stack.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
