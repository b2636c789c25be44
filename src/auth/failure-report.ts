/**
 * Counts failed sign-ins for the audit trail, which gets one event a minute for each attacked user and
 * network, not one for each failure. Neither the password nor an unknown username is kept, since users type
 * passwords into the wrong field.
 *
 * The number of groups is bounded. Otherwise attackers could fill it with harmless failures, to hide the
 * failure that matters. So unknown names get fewer groups, and an event may name the attacked user without
 * the network.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** The most groups when a network with failures of unknown users gets one. */
const UNKNOWN_MAX = 100;
/** The most groups when a pair of user and network gets one. */
const PAIRS_MAX = 500;
/** The most groups when a user gets one. No small machine checks more passwords in a minute. */
const USERS_MAX = 1_000;

export function createFailureReport() {
  let groups = new Map<string, SignInFailures>();

  function count({ user, network, count }: SignInFailures): void {
    const isCounted =
      increase({ user, network, count }, user === undefined ? UNKNOWN_MAX : PAIRS_MAX) ||
      (user !== undefined && increase({ user, network: '', count }, USERS_MAX));
    if (!isCounted) {
      increase({ user: undefined, network: '', count }, Infinity);
    }
  }

  /** @returns False if the group would be new, and there are too many. */
  function increase(added: SignInFailures, groupsMax: number): boolean {
    const key = `${added.user?.id} ${added.network}`;
    const before = groups.get(key);
    const hasPlace = before !== undefined || groups.size < groupsMax;
    if (hasPlace) {
      groups.set(key, { ...added, count: added.count + (before?.count ?? 0) });
    }
    return hasPlace;
  }

  return {
    add: (user: SignInFailures['user'], address: string) =>
      count({ user, network: toNetwork(address), count: 1 }),
    /** @returns The failures since the last call. */
    take(): readonly SignInFailures[] {
      const taken = [...groups.values()];
      groups = new Map();
      return taken;
    },
    /** Puts back failures that `take` returned but that could not be recorded. */
    restore: (failures: readonly SignInFailures[]) => failures.forEach(count),
  };
}
