/**
 * Limits guessing: failed sign-ins are counted for each pair of client address and user, and, with a larger allowance,
 * for each address. A place is taken before the password is checked and given back when it was right, so that parallel
 * guesses get no more checks than guesses one by one. A user is counted by id, as a new username must not mean new guesses;
 * only a name that nobody has is counted as such.
 *
 * Counting by pair keeps the limit from being a weapon: nobody can lock a user out from elsewhere, and one locked name
 * leaves the other users of an address alone. Counters live in this process and are bounded in number.
 */
import type { Clock } from '../model/clock.ts';
import { toNetwork } from './network.ts';

interface ThrottleLimits {
  /** Failures within a window for one address and user. */
  readonly failuresPerNameMax: number;
  /** Failures within a window for one address, whatever the username. */
  readonly failuresPerAddressMax: number;
  readonly windowSeconds: number;
}

/** Whose attempt it is; without a name it counts for the address alone. */
export interface Attempt {
  readonly address: string;
  readonly name?: string;
  /** Of the user who has the name. */
  readonly userId?: number | undefined;
}

export interface Throttle {
  /** Seconds until a further attempt is allowed, 0 when it is allowed now. */
  secondsToWait(attempt: Attempt): number;
  /** Takes a place. @returns Gives it back, once: the attempt was no failure. */
  take(attempt: Attempt): () => void;
}

interface Counter {
  readonly endsAtMs: number;
  failures: number;
}

/** Code units of the longest username. */
const NAME_LENGTH_MAX = 128;
/** About 15 MB at the most. Beyond it, the oldest counter is forgotten. */
const COUNTERS_MAX = 50_000;

export function createThrottle(limits: ThrottleLimits, clock: Clock): Throttle {
  const windowMs = limits.windowSeconds * 1000;
  const counters = new Map<string, Counter>();

  function find(key: string): Counter | undefined {
    const counter = counters.get(key);
    const remainingMs = (counter?.endsAtMs ?? 0) - clock();
    return remainingMs > 0 && remainingMs <= windowMs ? counter : undefined; // more remains only when the clock was set back
  }

  function takePlace(key: string): () => void {
    const counter = find(key) ?? begin(key);
    counter.failures += 1;
    return () => {
      counter.failures -= 1;
      if (counter.failures === 0 && counters.get(key) === counter) {
        counters.delete(key); // honest sign-ins leave nothing behind
      }
    };
  }

  function begin(key: string): Counter {
    const counter = { endsAtMs: clock() + windowMs, failures: 0 };
    counters.delete(key); // an ended one, so that the new one is the youngest
    forgetOldestBeyond(counters, COUNTERS_MAX - 1);
    counters.set(key, counter);
    return counter;
  }

  return {
    secondsToWait(attempt) {
      const full = keysOf(attempt, limits)
        .filter(({ key, max }) => (find(key)?.failures ?? 0) >= max)
        .map(({ key }) => find(key)?.endsAtMs ?? 0);
      return full.length === 0 ? 0 : Math.ceil((Math.max(...full) - clock()) / 1000);
    },
    take(attempt) {
      const givers = keysOf(attempt, limits).map(({ key }) => takePlace(key));
      return () => givers.forEach((giveBack) => giveBack());
    },
  };
}

function keysOf({ address, name, userId }: Attempt, limits: ThrottleLimits): readonly { key: string; max: number }[] {
  const network = toNetwork(address);
  const ofAddress = { key: network, max: limits.failuresPerAddressMax };
  if (name === undefined) {
    return [ofAddress];
  }
  // No address contains a space, and no name a colon (RFC 7617 §2), so nothing can be confused; no user has a longer name.
  const user = userId === undefined ? name.slice(0, NAME_LENGTH_MAX) : `:${userId}`;
  return [ofAddress, { key: `${network} ${user}`, max: limits.failuresPerNameMax }];
}

function forgetOldestBeyond(counters: Map<string, Counter>, sizeMax: number): void {
  for (const key of counters.keys()) {
    if (counters.size <= sizeMax) {
      return;
    }
    counters.delete(key);
  }
}
