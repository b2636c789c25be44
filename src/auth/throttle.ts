/**
 * Limits password guessing. Failed sign-ins are counted for each pair of client network and user, and, with a
 * larger allowance, for each network. A place is reserved before the password is checked, and released if the
 * password was right. So parallel guesses get no more checks than sequential guesses. Failures are counted by
 * the id of the user, since a new username must not allow new guesses. They are also counted by name: the
 * name is known before any look-up, so a refusal costs no database read.
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
 *
 * Counters live in this process and are bounded in number. The audit trail has a count of its own, see
 * failure-report.ts.
 */
import type { Clock } from '../model/clock.ts';
import { USERNAME_LENGTH_MAX } from '../model/name.ts';
import { createExpiringSet, forgetOldestBeyond, isRunning } from './expiring-set.ts';
import { toNetwork } from './client.ts';

export const THROTTLE_LIMITS = {
  /**
   * Failures within a window for one address, whatever the username: room for the typing errors of a school
   * behind one address.
   */
  failuresPerAddressMax: 1_000,
  windowSeconds: 300,
};

interface ThrottleLimits extends Readonly<typeof THROTTLE_LIMITS> {
  /** Failures within a window for one address and user. */
  readonly failuresPerNameMax: number;
}

/** The origin of an attempt. Without a name, the attempt counts for the address alone. */
export interface Attempt {
  readonly address: string;
  readonly name?: string;
  /** The id of the user with the name, once it is known. */
  readonly userId?: number | undefined;
}

/** A limit that has been reached. */
export interface Trip {
  readonly network: string;
  readonly limit: 'address' | 'name';
  /** Absent for the limit of an address, and for a name that nobody has. */
  readonly userId: number | undefined;
}

export interface Throttle {
  /** Seconds until a further attempt is allowed, 0 when it is allowed now. */
  secondsToWait(attempt: Attempt): number;
  /**
   * Reserves a place, which counts as a failure. @returns A function that releases it, once, after a success.
   */
  reserve(attempt: Attempt): () => void;
  /** Exempts the name from the limit of this network for a day, after a right password. */
  remember(attempt: Attempt): void;
  /** True if the name signed in from this network within a day. */
  isRemembered(attempt: Attempt): boolean;
}

interface ThrottleParts {
  readonly limits: ThrottleLimits;
  readonly clock: Clock;
  /** Called for the first refused attempt, once for each counter and window. */
  readonly onTrip: (trip: Trip) => void;
}

interface Counter {
  readonly endsAtMs: number;
  readonly userId: number | undefined;
  failures: number;
  isReported: boolean;
}

interface Key {
  readonly text: string;
  readonly limit: Trip['limit'];
  readonly userId: number | undefined;
}

const NO_FAILURES: Counter = { endsAtMs: 0, userId: undefined, failures: 0, isReported: false };

/** Longer names are no usernames. A character has one or two code units. */
const COUNTED_NAME_LENGTH_MAX = 2 * USERNAME_LENGTH_MAX;
/** The most counters, in about 15 MB. When they are full, the oldest counter is dropped. */
const COUNTERS_MAX = 50_000;

/** How long a user who signed in with a password is exempt from the limit of that network. */
const EXEMPT_MS = 86_400_000;
/**
 * The most exemptions, in about 5 MB. Adding an exemption takes the hash of a right password. So an attacker
 * who wants to evict all others needs a hash for each place: half an hour of two cores.
 */
const EXEMPT_MAX = 20_000;

export function createThrottle({ limits, clock, onTrip }: ThrottleParts): Throttle {
  const windowMs = limits.windowSeconds * 1000;
  const failuresMax = { address: limits.failuresPerAddressMax, name: limits.failuresPerNameMax };
  const counters = new Map<string, Counter>();
  const exempt = createExpiringSet({ lifetimeMs: EXEMPT_MS, entriesMax: EXEMPT_MAX, clock });

  function find(key: string): Counter | undefined {
    const counter = counters.get(key);
    return counter !== undefined && isRunning(counter.endsAtMs - clock(), windowMs) ? counter : undefined;
  }

  function reserve(key: string, userId: number | undefined): () => void {
    const counter = find(key) ?? begin(key, userId);
    counter.failures += 1;
    return () => {
      counter.failures -= 1;
      if (counter.failures === 0 && counters.get(key) === counter) {
        counters.delete(key); // sign-ins without failures leave no counter
      }
    };
  }

  function begin(key: string, userId: number | undefined): Counter {
    const counter = { endsAtMs: clock() + windowMs, userId, failures: 0, isReported: false };
    counters.delete(key); // removes an expired counter, so that the new one is the youngest
    counters.set(key, counter);
    forgetOldestBeyond(counters, COUNTERS_MAX);
    return counter;
  }

  function report(counter: Counter, trip: Omit<Trip, 'userId'>): void {
    if (!counter.isReported) {
      counter.isReported = true;
      onTrip({ ...trip, userId: counter.userId });
    }
  }

  function isRemembered(attempt: Attempt): boolean {
    return attempt.name !== undefined && exempt.has(toPair(attempt, attempt.name));
  }

  return {
    secondsToWait(attempt) {
      const full = toKeys(attempt)
        .filter(({ limit }) => limit === 'name' || !isRemembered(attempt))
        .map(({ text, limit }) => ({ limit, counter: find(text) ?? NO_FAILURES }))
        .filter(({ limit, counter }) => counter.failures >= failuresMax[limit]);
      if (full[0] === undefined) {
        return 0;
      }
      report(full[0].counter, { network: toNetwork(attempt.address), limit: full[0].limit });
      const endsAtMs = Math.max(...full.map(({ counter }) => counter.endsAtMs));
      return Math.ceil((endsAtMs - clock()) / 1000);
    },
    reserve(attempt) {
      const releases = toKeys(attempt).map(({ text, userId }) => reserve(text, userId));
      return () => releases.forEach((release) => release());
    },
    remember(attempt) {
      void (attempt.name !== undefined && exempt.add(toPair(attempt, attempt.name)));
    },
    isRemembered,
  };
}

/** Keys cannot collide: no address contains a space, and no name a colon (RFC 7617 §2). */
function toKeys(attempt: Attempt): readonly Key[] {
  const { address, name, userId } = attempt;
  const users = [...(name === undefined ? [] : [name]), ...(userId === undefined ? [] : [`:${userId}`])];
  return [
    { text: toNetwork(address), limit: 'address', userId: undefined },
    ...users.map((user) => ({ text: toPair(attempt, user), limit: 'name', userId } as const)),
  ];
}

function toPair({ address }: Attempt, user: string): string {
  return `${toNetwork(address)} ${user.slice(0, COUNTED_NAME_LENGTH_MAX)}`;
}
