/** Parts of operations that change a record: the origin of the change, and its preconditions. */
import type { Caller } from '../auth/authenticate.ts';
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { Tagged } from './replies.ts';
import type { Services } from './services.ts';

/** @param caller - `undefined` when nobody has signed in. */
export function originOf(
  { clock }: Services, { id, address }: HttpRequest, caller: Caller | undefined,
): Origin {
  return {
    at: toTimestamp(clock()),
    user: caller?.user,
    signIn: caller?.signIn ?? 'none',
    tokenId: caller?.signIn === 'token' ? caller.token.id : undefined,
    passwordVersion: caller?.signIn === 'password' ? caller.passwordVersion : undefined,
    only: caller?.only,
    requestId: id,
    address,
  };
}

/**
 * Finds the version that the record must still have when it is changed. A tag depends on the version, so
 * `If-Match` matches only one version. Without `If-Match`, a change does not depend on the version, because
 * the change writes only the given members.
 *
 * @param read - Reads the record as the caller sees it. Called only for a request with preconditions.
 */
export async function expectVersion(
  request: HttpRequest, read: () => Promise<Tagged | undefined>,
): Promise<ExpectedVersion> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const found = ifMatch === undefined && ifNoneMatch === undefined ? undefined : await read();
  if (found === undefined) {
    return 'any'; // if no record is found, the change itself refuses
  }
  if (evaluatePreconditions(request, found.tag) !== 'proceed') {
    return 'unmet';
  }
  return ifMatch === undefined || ifMatch.trim() === '*' ? 'any' : found.version;
}
