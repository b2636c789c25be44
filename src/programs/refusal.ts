/**
 * Thrown when a program cannot do its work, for a reason that the operator can change. The operator sees only
 * the message, which says what failed and what to do. Any other error is a bug, shown with its stack.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
