/**
 * Counts failed sign-ins in groups: one group for each pair of an attacked user and the attacker's network.
 * Every minute, each group becomes an audit event. Unknown usernames are not stored, because some users type
 * a password as the username. An attacker on many networks can cause many groups. The limits below reserve
 * groups for users who are attacked later.
 */
import { sql, type Database, type Statement } from '../../database/database.ts';
import { toNetwork } from '../../http/client-address.ts';
import type { Origin } from '../../model/audit.ts';
import type { User } from '../../model/user.ts';
import { insertEvents, toCut } from '../../stores/audit.ts';

interface Failures {
  /** The attacked user, or `undefined` for an unknown username. */
  readonly user: User | undefined;
  /** Empty if the group counts failures on several networks. */
  readonly network: string;
  readonly count: number;
}

/** If `UNKNOWN_MAX` groups exist, an extra group counts failures with unknown names on further networks. */
const UNKNOWN_MAX = 100;
/** If `PAIRS_MAX` groups exist, an extra group per user counts the user's failures on further networks. */
const PAIRS_MAX = 500;
/** If `USERS_MAX` groups exist, one extra group counts each failure that fits no group. */
const USERS_MAX = 1_000;

export function createFailureReport(database: Database) {
  let groups = new Map<string, Failures>();

  function add({ count, ...pair }: Failures): void {
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
    onSignInFailure: (user: User | undefined, address: string) =>
      add({ user, network: toNetwork(address), count: 1 }),
    async recordFailures(origin: Origin): Promise<void> {
      const failures = [...groups.values()];
      groups = new Map();
      if (failures.length > 0) {
        await database.write(failures.map((group) => toEvent(group, origin))).catch((error: unknown) => {
          failures.forEach(add);
          throw error;
        });
      }
    },
  };
}

function toEvent({ user, network, count }: Failures, origin: Origin): Statement {
  const [type, names] = [user ? 'user' : 'service', network === '' ? 'others' : 'unknown'];
  const details = user ? `count=${count}` : `count=${count}, username=${names}`;
  const resource = sql`${user?.id ?? null}, ${toCut(user?.username ?? '')}, ${details}`;
  return insertEvents('sign_in.failures', type, resource, { ...origin, signIn: 'none', address: network });
}
