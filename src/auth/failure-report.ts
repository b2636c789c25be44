/**
 * Counts failed sign-ins for the audit trail, which gets one event a minute for each attacked user and
 * network, not one for each failure. Neither the password nor an unknown username is kept, since users type
 * passwords into the wrong field.
 *
 * The number of groups is bounded, and attackers could fill it with failures that do not matter, to hide the
 * one that does. So unknown names have groups of their own, and an attacked user is named even when the
 * network is not.
 */
import type { SignInFailures } from '../model/audit.ts';
import { toNetwork } from './client.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** The most networks with failures of unknown users. */
const UNKNOWN_MAX = 100;
/** The most pairs of user and network. */
const PAIRS_MAX = 500;
/** The most groups of known users. No small machine checks more passwords in a minute. */
const KNOWN_MAX = 1_000;

/** The network of failures from several networks. */
const SEVERAL = '';

export function createFailureReport() {
  const known = new Map<string, SignInFailures>();
  const unknown = new Map<string, SignInFailures>();

  function count(failures: SignInFailures): void {
    const isCounted = failures.user === undefined
      ? increase(unknown, failures, UNKNOWN_MAX)
      : increase(known, failures, PAIRS_MAX) || increase(known, { ...failures, network: SEVERAL }, KNOWN_MAX);
    void (isCounted || increase(unknown, { ...failures, user: undefined, network: SEVERAL }, Infinity));
  }

  return {
    add: (user: SignInFailures['user'], address: string) =>
      count({ user, network: toNetwork(address), count: 1 }),
    /** @returns The failures since the last call. */
    take(): readonly SignInFailures[] {
      const taken = [...known.values(), ...unknown.values()];
      known.clear();
      unknown.clear();
      return taken;
    },
    /** Puts back failures that `take` returned but that could not be recorded. */
    restore: (failures: readonly SignInFailures[]) => failures.forEach(count),
  };
}

/** @returns False if the group is new and there are too many. */
function increase(groups: Map<string, SignInFailures>, added: SignInFailures, groupsMax: number): boolean {
  const key = `${added.user?.id} ${added.network}`;
  const before = groups.get(key);
  if (before === undefined && groups.size >= groupsMax) {
    return false;
  }
  groups.set(key, { ...added, count: added.count + (before?.count ?? 0) });
  return true;
}
