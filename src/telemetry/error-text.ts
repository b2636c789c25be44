import { getSystemErrorMessage } from 'node:util';

/** For operators: a system error is put into words, such as `permission denied`. */
export function reasonOf(error: unknown): string {
  const { errno, message }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : message;
}

/** Makes a text that only the log may show: stacks and causes may reveal internals. */
export function describeError(error: unknown, causesMax = 5): string { // causes may form a cycle
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { stack = error.message, cause } = error;
  return cause === undefined || causesMax === 0
    ? stack
    : `${stack}\nCaused by: ${describeError(cause, causesMax - 1)}`;
}
