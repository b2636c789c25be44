/**
 * Remembers for a day which users signed in with a password from which network, so that a limit on the
 * network does not lock out the people who work there. No passwords are kept.
 *
 * Adding an entry takes one hash of a right password. Evicting all other entries takes as many hashes as
 * there are places: half an hour of all that two cores can do.
 */
import type { Clock } from '../model/clock.ts';

export interface RecentSignIns {
  add(key: string): void;
  has(key: string): boolean;
}

const LIFETIME_MS = 86_400_000;
/** About 5 MB at most. Beyond it, the oldest entry is evicted. */
const ENTRIES_MAX = 20_000;

export function createRecentSignIns(clock: Clock): RecentSignIns {
  const endsAtMsByKey = new Map<string, number>();
  return {
    add(key) {
      endsAtMsByKey.delete(key); // so that the map stays in the order of expiry
      endsAtMsByKey.set(key, clock() + LIFETIME_MS);
      const [oldest] = endsAtMsByKey.keys();
      if (endsAtMsByKey.size > ENTRIES_MAX && oldest !== undefined) {
        endsAtMsByKey.delete(oldest);
      }
    },
    has(key) {
      const remainingMs = (endsAtMsByKey.get(key) ?? 0) - clock();
      return remainingMs > 0 && remainingMs <= LIFETIME_MS; // more remains only when the clock was set back
    },
  };
}
