/**
 * Counts failed sign-ins by attacked user and network. The audit trail gets one event a minute for each pair,
 * not one for each failure. Neither the password nor an unknown username is kept, since users type passwords
 * into the wrong field.
 */
import type { SignInFailures } from '../model/audit.ts';
import { toNetwork } from './network.ts';

export interface FailureCount {
  add(user: SignInFailures['user'], address: string): void;
  /** @returns The failures since the last call. */
  take(): readonly SignInFailures[];
  /** Puts back failures that `take` returned but that could not be recorded. */
  restore(failures: readonly SignInFailures[]): void;
}

/**
 * The most pairs that are counted. It bounds the memory, and the number of events in a minute. All further
 * pairs are counted as one group.
 */
const GROUPS_MAX = 100;

const REST = { user: undefined, network: '' };

export function createFailureCount(): FailureCount {
  const groups = new Map<string, SignInFailures>();

  function count(failures: SignInFailures): void {
    const isOneTooMany = groups.size >= GROUPS_MAX && !groups.has(toKey(failures));
    const group = isOneTooMany ? { ...REST, count: failures.count } : failures;
    const before = groups.get(toKey(group))?.count ?? 0;
    groups.set(toKey(group), { ...group, count: before + group.count });
  }

  return {
    add(user, address) {
      count({ user, network: toNetwork(address), count: 1 });
    },
    take() {
      const taken = [...groups.values()];
      groups.clear();
      return taken;
    },
    restore(failures) {
      failures.forEach(count);
    },
  };
}

function toKey({ user, network }: Pick<SignInFailures, 'user' | 'network'>): string {
  return `${user?.id ?? ''} ${network}`;
}
