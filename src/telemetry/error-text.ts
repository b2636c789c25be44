/** The texts of errors: a reason for operators, and a full description for the log. */
import { getSystemErrorMessage } from 'node:util';

/**
 * @returns The reason of an error in words, without a stack. For a system error, the reason is its
 *   description, such as `permission denied`.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { errno } = error as NodeJS.ErrnoException;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : error.message;
}

/** Describes an error and its causes, for the log only: the text may be internal. */
export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const text = error.stack ?? error.message;
  return error.cause === undefined || causesMax === 0
    ? text
    : `${text}\nCaused by: ${describeError(error.cause, causesMax - 1)}`;
}

/** The most causes that are described, because causes may form a cycle. */
const CAUSES_MAX = 5;
