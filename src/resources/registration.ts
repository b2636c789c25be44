/** The checks of a new username that its schema cannot make. */
import { findUsernameFault } from '../model/name.ts';
import { refuse, type Refusal } from './problems.ts';
import type { Services } from './services.ts';

/** A schema cannot tell the scripts of letters. */
export function refuseMixedScripts(name: string): Refusal<'invalidBody'> | undefined {
  const message = findUsernameFault(name);
  return message === undefined
    ? undefined
    : refuse('invalidBody', [{ pointer: '/username', keyword: 'pattern', message }]);
}

/**
 * Saves the costly hash if the name is taken. The answer tells which usernames exist, as the specification
 * demands, so it is rate limited. This limit applies to registrations only: anonymous clients must not be
 * able to lock out users.
 */
export async function refuseTakenUsername(
  { users, takenNames }: Services, name: string, address: string,
): Promise<Refusal<'tooManyAttempts' | 'usernameTaken'> | undefined> {
  const early = refuseTooManyTakenNames();
  if (early !== undefined) {
    return early;
  }
  const holder = await users.find({ name });
  // Counts concurrent registrations, and checks the limit for a free name too, or the answer would tell.
  const late = refuseTooManyTakenNames();
  if (late !== undefined || holder === undefined) {
    return late;
  }
  takenNames.reserve({ address }); // and does not release the place
  return refuse('usernameTaken', name);

  function refuseTooManyTakenNames(): Refusal<'tooManyAttempts'> | undefined {
    const retryAfterSeconds = takenNames.secondsToWait({ address });
    return retryAfterSeconds > 0 ? refuse('tooManyAttempts', retryAfterSeconds) : undefined;
  }
}
