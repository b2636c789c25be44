/**
 * Remembers for a day who has signed in with the right password, and from which network: so that a limit on that network
 * does not lock out the people who work there. Neither passwords nor whether they are still right are kept.
 *
 * Each entry has cost a right password that had to be hashed. Pushing out all entries takes that many hashes, half an hour
 * of everything that two cores can do, so nobody can cheaply make the service forget somebody else.
 */
import type { Clock } from '../model/clock.ts';

export interface RecentSignIns {
  add(key: string): void;
  has(key: string): boolean;
}

const LIFETIME_MS = 86_400_000;
/** About 5 MB at the most. Beyond it, the oldest entry is forgotten. */
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
