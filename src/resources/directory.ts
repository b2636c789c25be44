/**
 * Reads a user whom the caller may know of. With `DIRECTORY=closed`, other users and their projects do not
 * exist for plain users (`Origin.only`): every answer about them is the answer about an unknown name. Only a
 * taken name is still 422, which does not say whose it is.
 */
import type { IdOrName } from '../api/parameters.ts';
import { refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import { toReader, type Client } from '../auth/client.ts';
import type { Origin } from '../model/audit.ts';
import type { UserId } from '../model/user.ts';
import type { UserRepresentation } from '../stores/users.ts';

/** Only a long record, of up to 256 KiB of projects, takes turns with lists. */
export async function readVisible(
  { users, reads }: Services, address: IdOrName<UserId>, { only, user }: Origin, client: Client,
): Promise<UserRepresentation | undefined | Refusal<'busy'>> {
  const short = await users.findShortRepresentation(address, only);
  if (short !== 'long') {
    return short;
  }
  const outcome = await reads.run(() => users.findRepresentation(address), toReader(client, user));
  return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
}
