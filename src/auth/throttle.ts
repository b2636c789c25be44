/**
 * Limits password guessing. Failures are counted for each pair of client network and name, and, with a larger
 * allowance, for each network. A place is reserved before the password is checked, and released if the
 * password was right. So parallel guesses get no more checks than sequential guesses.
 *
 * Two rules keep the limits from being used to lock other people out:
 * - Failures count by pair: nobody can lock a user out from another network, and a locked name does not
 *   affect the other users of its network.
 * - The limit of a network does not apply to users who signed in from it within a day.
 *
 * The limit of a pair applies to everybody, also to the right password of a recent user. Beyond it, no
 * password is compared, not even with a remembered one. Otherwise everybody on the same network could guess
 * without limit. The second rule has a price: once a network has reached its limit, others on that
 * network can find out which users sign in from there.
 */
import type { Clock } from '../model/clock.ts';
import { USERNAME_LENGTH_MAX, type NameKey } from '../model/name.ts';
import { toNetwork } from './client.ts';
import { createExpiringMap } from './expiring-map.ts';

/** The most failures of a network within a window: room for the typing errors of a school. */
export const FAILURES_PER_ADDRESS_MAX = 1_000;

interface ThrottleLimits {
  /** The most failures within a window for one network and name. */
  readonly failuresPerNameMax: number;
  /** The most failures within a window for one network. */
  readonly failuresPerAddressMax: number;
}

interface Attempt {
  readonly address: string;
  readonly name: NameKey;
}

export type Throttle = ReturnType<typeof createThrottle>;

const DAY_MS = 86_400_000;
/**
 * The most exemptions, in about 5 MB. Adding one takes the hash of a right password. So an attacker who wants
 * to evict all others needs a hash for each place: half an hour of two cores.
 */
const EXEMPT_MAX = 20_000;

/** @param onReached - Gets no name, since users type passwords into the wrong field. */
export function createThrottle(
  { failuresPerNameMax, failuresPerAddressMax }: ThrottleLimits, clock: Clock,
  onReached: (limit: 'name' | 'address', network: string) => void,
) {
  const ofPairs = createFailureLimit(
    failuresPerNameMax, clock, (pair) => onReached('name', pair.replace(/ .*/s, '')),
  );
  const ofNetworks = createFailureLimit(
    failuresPerAddressMax, clock, (network) => onReached('address', network),
  );
  const exempt = createExpiringMap<string, true>({ lifetimeMs: DAY_MS, entriesMax: EXEMPT_MAX, clock });
  const isRemembered = (attempt: Attempt): boolean => exempt.get(toPair(attempt)) === true;

  return {
    isRemembered,
    /** Exempts the name from the limit of this network for a day, after a right password. */
    remember: (attempt: Attempt) => exempt.set(toPair(attempt), true),
    /** @returns Seconds until a further attempt is allowed, 0 when it is allowed now. */
    secondsToWait(attempt: Attempt): number {
      const seconds = ofPairs.secondsToWait(toPair(attempt));
      return seconds > 0 || isRemembered(attempt)
        ? seconds
        : ofNetworks.secondsToWait(toNetwork(attempt.address));
    },
    /** Counts a failure. @returns A function that takes it back, to be called once, after a success. */
    reserve(attempt: Attempt): () => void {
      const releasePair = ofPairs.reserve(toPair(attempt));
      const releaseNetwork = ofNetworks.reserve(toNetwork(attempt.address));
      return () => {
        releasePair();
        releaseNetwork();
      };
    },
  };
}

/** Names longer than any username are cut. No network contains a space. */
function toPair({ address, name }: Attempt): string {
  return `${toNetwork(address)} ${name.slice(0, 2 * USERNAME_LENGTH_MAX)}`;
}

export type FailureLimit = ReturnType<typeof createFailureLimit>;

const WINDOW_MS = 300_000;
/** The most counters, in about 7 MB. */
const COUNTERS_MAX = 25_000;

/**
 * Counts the failures of each key within a window that the first one begins.
 *
 * @param onReached - Called with a key that may not fail again in this window.
 */
export function createFailureLimit(failuresMax: number, clock: Clock, onReached: (key: string) => void) {
  const counters = createExpiringMap<string, { failures: number }>({
    lifetimeMs: WINDOW_MS, entriesMax: COUNTERS_MAX, clock,
  });

  return {
    /** @returns Seconds until a further attempt is allowed, 0 when it is allowed now. */
    secondsToWait(key: string): number {
      const isFull = (counters.get(key)?.failures ?? 0) >= failuresMax;
      return isFull ? Math.ceil(counters.remainingMs(key) / 1000) : 0;
    },
    /** Counts a failure. @returns A function that takes it back, to be called once, after a success. */
    reserve(key: string): () => void {
      const counter = counters.get(key) ?? { failures: 0 };
      void (counters.get(key) ?? counters.set(key, counter));
      counter.failures += 1;
      void (counter.failures === failuresMax && onReached(key));
      return () => (counter.failures -= 1);
    },
  };
}
