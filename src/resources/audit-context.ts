/** The origin of a change, for the audit trail. */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import type { Services } from './services.ts';

/** @param caller - `undefined` when nobody has signed in. */
export function auditContext(
  { clock }: Services,
  { id, address }: Pick<HttpRequest, 'id' | 'address'>,
  caller: Caller | undefined,
): Origin {
  return {
    at: toTimestamp(clock()),
    user: caller?.user,
    signIn: caller?.signIn ?? 'none',
    tokenId: caller?.signIn === 'token' ? caller.token.id : undefined,
    passwordVersion: caller?.signIn === 'password' ? caller.passwordVersion : undefined,
    requestId: id,
    address,
  };
}
