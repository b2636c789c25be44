/**
 * Counts failed sign-ins for the audit trail, which gets one event a minute for each attacked user and
 * network, not one for each failure. Neither the password nor an unknown username is kept, since users type
 * passwords into the wrong field.
 *
 * The number of groups is bounded, and attackers could fill it with failures that do not matter, to hide the
 * one that does. So failures of unknown users are merged first, and an attacked user is named even then.
 */
import type { SignInFailures } from '../model/audit.ts';
import { toNetwork } from './client.ts';

export interface FailureReport {
  add(user: SignInFailures['user'], address: string): void;
  /** @returns The failures since the last call. */
  take(): readonly SignInFailures[];
  /** Puts back failures that `take` returned but that could not be recorded. */
  restore(failures: readonly SignInFailures[]): void;
}

/** The most pairs of user and network. Unknown users of a network are one pair. */
const PAIRS_MAX = 100;

/** The most users without a pair. No small machine checks more passwords in a minute. */
const USERS_MAX = 1_000;

/** The network of failures from several networks. */
const SEVERAL = '';

export function createFailureReport(): FailureReport {
  const pairs = new Map<string, SignInFailures>();
  const users = new Map<string, SignInFailures>();
  let others = 0;

  function count(failures: SignInFailures): void {
    const { user, network, count } = failures;
    const isPair = network !== SEVERAL;
    const pair = `${user?.id ?? ''} ${network}`;
    if (isPair && (pairs.has(pair) || pairs.size < PAIRS_MAX || (user !== undefined && mergeUnknown()))) {
      increase(pairs, pair, failures);
    } else if (user !== undefined && (users.has(`${user.id}`) || users.size < USERS_MAX)) {
      increase(users, `${user.id}`, { ...failures, network: SEVERAL });
    } else {
      others += count;
    }
  }

  /** Moves the oldest pair of unknown users to the others. @returns False when there is none. */
  function mergeUnknown(): boolean {
    const [oldest] = [...pairs].filter(([, { user }]) => user === undefined);
    if (oldest === undefined) {
      return false;
    }
    const [pair, unknown] = oldest;
    others += unknown.count;
    return pairs.delete(pair);
  }

  return {
    add(user, address) {
      count({ user, network: toNetwork(address), count: 1 });
    },
    take() {
      const rest = others === 0 ? [] : [{ user: undefined, network: SEVERAL, count: others }];
      const taken = [...pairs.values(), ...users.values(), ...rest];
      pairs.clear();
      users.clear();
      others = 0;
      return taken;
    },
    restore(failures) {
      failures.forEach(count);
    },
  };
}

function increase(groups: Map<string, SignInFailures>, key: string, failures: SignInFailures): void {
  const before = groups.get(key)?.count ?? 0;
  groups.set(key, { ...failures, count: before + failures.count });
}
