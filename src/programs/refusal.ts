/**
 * Thrown when a program cannot do its work, for a reason that the operator can change. Only the message is
 * shown, which says what failed and what to do. Any other error is a bug, and is shown with its stack.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
