/**
 * Groups failed sign-ins by the attacked user and the network: each minute, the audit trail gets one event
 * for each group. Unknown usernames are not kept, since they may be passwords.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/**
 * With this many groups, no further network of unknown names, and no further pair of user and network, gets a
 * group, so that places remain for other attacked users.
 */
const UNKNOWN_MAX = 100;
const PAIRS_MAX = 500;
/** With this many groups, no user gets a new group; small machines check fewer passwords a minute. */
const USERS_MAX = 1_000;

export function createFailureReport() {
  let groups = new Map<string, SignInFailures>();

  function count({ count, ...pair }: SignInFailures): void {
    for (const [user, network, groupsMax] of [
      [pair.user, pair.network, pair.user === undefined ? UNKNOWN_MAX : PAIRS_MAX],
      [pair.user, '', USERS_MAX],
      [undefined, '', Infinity],
    ] as const) {
      const key = `${user?.id} ${network}`;
      const group = groups.get(key);
      if (group !== undefined || groups.size < groupsMax) {
        groups.set(key, { user, network, count: count + (group?.count ?? 0) });
        return;
      }
    }
  }

  return {
    add: (user: SignInFailures['user'], address: string) =>
      count({ user, network: toNetwork(address), count: 1 }),
    /** Records the failures since the last call. If `record` fails, the next call tries again. */
    async flush(record: (failures: readonly SignInFailures[]) => Promise<void>): Promise<void> {
      const failures = [...groups.values()];
      groups = new Map();
      if (failures.length > 0) {
        await record(failures).catch((error: unknown) => {
          failures.forEach(count);
          throw error;
        });
      }
    },
  };
}
