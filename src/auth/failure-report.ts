/**
 * Counts failed sign-ins in groups, one group for each pair of an attacked user and a network. The audit
 * trail gets one event a minute for each group. Unknown usernames are not kept, since some users type their
 * password into the field for the name.
 *
 * The number of groups is limited, and a flood of failures must leave groups for further attacked users:
 * failures of unknown names get a new group only among the first 100 groups, and from 500 groups on, a user
 * gets one group for all networks.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** Failures of unknown names get a new group only while there are fewer groups than this number. */
const UNKNOWN_MAX = 100;
/** While there are fewer groups than this number, a user gets a group for each network. */
const PAIRS_MAX = 500;
/** The most groups: more than the passwords that a small machine can check in a minute. */
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

  /** @returns False if the failures would need a new group, but there are `groupsMax` groups already. */
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
    /** @returns The failures since the last call of `take`. */
    take(): readonly SignInFailures[] {
      const taken = [...groups.values()];
      groups = new Map();
      return taken;
    },
    /** Puts back failures that could not be recorded in the audit trail. */
    restore: (failures: readonly SignInFailures[]) => failures.forEach(count),
  };
}
