/**
 * Counts failed sign-ins for the audit trail, which gets one event a minute for each attacked user and
 * network. Unknown usernames are not kept, since some users type their password into the field for the name.
 *
 * Harmless failures must not fill the groups and hide the failures that matter. So unknown names get only the
 * first groups, and from 500 groups on, a user gets one group for all networks.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** New groups of unknown names are added only below this number of groups. */
const UNKNOWN_MAX = 100;
const PAIRS_MAX = 500;
/** More groups than passwords that a small machine can check in a minute. */
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
