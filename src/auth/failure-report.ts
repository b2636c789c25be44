/**
 * Groups failed sign-ins by attacked user and network. Every minute, each group becomes an audit event.
 * Unknown usernames are not stored, because some users type a password as the username. An attacker may use
 * many networks, but the limits below keep groups free for later victims.
 */
import { toNetwork } from '../http/client-address.ts';
import type { SignInFailures } from '../model/audit.ts';

export type FailureReport = ReturnType<typeof createFailureReport>;

/** If `UNKNOWN_MAX` groups exist, new networks that try unknown usernames share one group. */
const UNKNOWN_MAX = 100;
/** If `PAIRS_MAX` groups exist, new networks that attack the same user share one group. */
const PAIRS_MAX = 500;
/** If `USERS_MAX` groups exist and no group fits a failure, one extra group counts the failure. */
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
    /** Records all new failures. If `record` fails, the failures are kept for the next call. */
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
