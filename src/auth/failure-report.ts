/**
 * Counts failed sign-ins in groups, one for each attacked user and network. The audit trail gets one event a
 * minute for each group. Unknown usernames are not kept, since some users type their password into the field
 * for the name.
 *
 * The number of groups is limited, and harmless failures must not use up the groups and so hide the failures
 * that matter. So unknown names get only the first 100 groups, and from 500 groups on, a user gets one group
 * for all networks.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** New groups of unknown names are added only below this number of groups. */
const UNKNOWN_MAX = 100;
/** Below this number of groups, a user gets a group for each network. */
const PAIRS_MAX = 500;
/** More than the passwords that a small machine can check in a minute. */
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

  /** @returns False if there are too many groups to add this one. */
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
    /** Puts back failures that could not be recorded. */
    restore: (failures: readonly SignInFailures[]) => failures.forEach(count),
  };
}
