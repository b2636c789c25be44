import type { Origin } from '../model/audit.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';

/**
 * Where a change comes from that no request makes: from a command of the operator, or from the server itself.
 */
export function toProgramOrigin(clock: Clock): Origin {
  return {
    at: toTimestamp(clock()), user: undefined, signIn: 'program', tokenId: undefined, requestId: '',
    address: '',
  };
}
