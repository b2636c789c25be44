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

/** The most errors that are described: causes may form a cycle. */
const CAUSES_MAX = 5;

/** Describes an error and its causes, for the log only: the text may be internal. */
export function describeError(error: unknown): string {
  const texts: string[] = [];
  let cause = error;
  do {
    texts.push(cause instanceof Error ? cause.stack ?? cause.message : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  } while (cause !== undefined && texts.length < CAUSES_MAX);
  return texts.join('\nCaused by: ');
}
