/**
 * Counts failed sign-ins for the audit trail. In each minute, the trail gets one event for each attacked user
 * and network, instead of one for each failure. Neither passwords nor unknown usernames are kept, since some
 * users type their password into the field for the name.
 *
 * The number of groups is bounded, and harmless failures could fill the groups to hide the failure that
 * matters. So unknown names share a small number of groups; once there are many groups, a user gets only one
 * new group for all networks.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** From this number of groups on, unknown users get no new group. */
const UNKNOWN_MAX = 100;
/** From this number of groups on, pairs of a user and a network get no new group. */
const PAIRS_MAX = 500;
/**
 * From this number of groups on, there are no new groups. No small machine checks so many passwords a minute.
 */
const USERS_MAX = 1_000;

export function createFailureReport() {
  let groups = new Map<string, SignInFailures>();

  function count(failures: SignInFailures): void {
    const { user } = failures;
    const ofUser = { ...failures, network: '' };
    const isCounted = increase(failures, user === undefined ? UNKNOWN_MAX : PAIRS_MAX)
      || (user !== undefined && increase(ofUser, USERS_MAX));
    if (!isCounted) {
      increase({ ...ofUser, user: undefined }, Infinity);
    }
  }

  /** @returns False if the group does not exist, and there are too many groups to add it. */
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
