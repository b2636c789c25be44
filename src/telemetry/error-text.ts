import { getSystemErrorMessage } from 'node:util';

/** Describes an error to operators. A system error is described in words, such as `permission denied`. */
export function reasonOf(error: unknown): string {
  const { errno, message }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : message;
}

/** Only the log may show this description, because stacks and causes can reveal internals. */
export function describeError(error: unknown, causesMax = 5): string { // an error can have itself as a cause
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { stack = error.message, cause } = error;
  return cause === undefined || causesMax === 0
    ? stack
    : `${stack}\nCaused by: ${describeError(cause, causesMax - 1)}`;
}
