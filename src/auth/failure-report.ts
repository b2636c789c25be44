/**
 * Counts failed sign-ins for the audit trail. In each minute, the trail gets one event for each attacked user
 * and network, instead of one for each failure. Passwords are not kept, and neither are unknown usernames,
 * since users type passwords into the wrong field.
 *
 * The number of groups is bounded, and failures beyond the bound are counted together. Unknown names get few
 * groups. Otherwise an attacker could try many unknown names to hide the failure that matters.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** From this number of groups on, failures of unknown users get no new group. */
const UNKNOWN_MAX = 100;
/** From this number on, no failure gets a new group. No small machine checks more passwords in a minute. */
const GROUPS_MAX = 2_000;

export function createFailureReport() {
  let groups = new Map<string, SignInFailures>();

  function count({ user, network, count }: SignInFailures): void {
    const key = `${user?.id} ${network}`;
    const hasPlace = groups.has(key) || groups.size < (user === undefined ? UNKNOWN_MAX : GROUPS_MAX);
    const group = hasPlace ? { key, user, network } : { key: 'others', user: undefined, network: '' };
    const before = groups.get(group.key)?.count ?? 0;
    groups.set(group.key, { user: group.user, network: group.network, count: before + count });
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
