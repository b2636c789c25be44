/** The checks of a new username that its schema cannot make. */
import { findUsernameFault } from '../model/name.ts';
import { refuse, type Refusal } from './problems.ts';
import type { Services } from './services.ts';

/** A schema cannot distinguish the scripts of letters. */
export function refuseMixedScripts(name: string): Refusal<'invalidBody'> | undefined {
  const message = findUsernameFault(name);
  return message === undefined
    ? undefined
    : refuse('invalidBody', [{ pointer: '/username', keyword: 'pattern', message }]);
}

/**
 * Skips the costly hash if the name is taken. The response reveals which usernames exist, as specified, so it
 * is rate limited. This limit applies to registrations only: anonymous clients must not be able to lock out
 * users.
 */
export async function refuseTakenUsername(
  { users, takenNames }: Services, name: string, address: string,
): Promise<Refusal<'tooManyAttempts' | 'usernameTaken'> | undefined> {
  const early = refuseTooManyTakenNames();
  if (early !== undefined) {
    return early;
  }
  const holder = await users.find({ name });
  // Checked again, for concurrent registrations, and for a free name too, or the status would reveal it.
  const late = refuseTooManyTakenNames();
  if (late !== undefined || holder === undefined) {
    return late;
  }
  takenNames.reserve({ address }); // never released: each taken name counts
  return refuse('usernameTaken', name);

  function refuseTooManyTakenNames(): Refusal<'tooManyAttempts'> | undefined {
    const retryAfterSeconds = takenNames.secondsToWait({ address });
    return retryAfterSeconds > 0 ? refuse('tooManyAttempts', retryAfterSeconds) : undefined;
  }
}
