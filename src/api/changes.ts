/** Parts of operations that change a record: the origin of the change, and its preconditions. */
import type { Caller } from '../auth/authenticate.ts';
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import type { Tagged } from './replies.ts';
import type { Services } from './services.ts';

export function originOf({ clock }: Services, { id, address }: HttpRequest, caller?: Caller): Origin {
  return {
    at: toTimestamp(clock()),
    user: caller?.user,
    signIn: caller?.signIn ?? 'none',
    tokenId: caller?.signIn === 'token' ? caller.token.id : undefined,
    passwordVersion: caller?.signIn === 'password' ? caller.passwordVersion : undefined,
    visibleUserId: caller?.visibleUserId,
    requestId: id,
    address,
  };
}

/**
 * The version that the record must still have when it is changed. An entity tag is computed from the version
 * of a record, so `If-Match` matches only one version.
 *
 * @param read - Reads the record as the caller sees it; called only for a request with preconditions.
 */
export async function expectVersion(
  request: HttpRequest, read: () => Promise<Tagged | undefined>,
): Promise<ExpectedVersion> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const found = ifMatch === undefined && ifNoneMatch === undefined ? undefined : await read();
  if (found === undefined) {
    return 'any'; // if there is no record, the change itself is refused
  }
  if (evaluatePreconditions(request, found.tag) !== 'proceed') {
    return 'unmet';
  }
  return ifMatch === undefined || ifMatch.trim() === '*' ? 'any' : found.version;
}
