/** The texts of errors: a reason for operators, and a full description for the log. */
import { getSystemErrorMessage } from 'node:util';

/** @returns The reason in words, without a stack; for a system error, such as `permission denied`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { errno } = error as NodeJS.ErrnoException;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : error.message;
}

/** The most errors that are described: causes may form a cycle. */
const CAUSES_MAX = 5;

/** Describes an error and its causes, for the log only: the text may be internal. */
export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { stack = error.message, cause } = error;
  return cause === undefined || causesMax === 0
    ? stack
    : `${stack}\nCaused by: ${describeError(cause, causesMax - 1)}`;
}
