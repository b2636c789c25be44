/**
 * Limits guessing: failed sign-ins are counted for each pair of client address and user, and, with a larger allowance,
 * for each address. A place is taken before the password is checked and given back when it was right, so that parallel
 * guesses get no more checks than guesses one by one. A user is counted by id, as a new username must not mean new guesses;
 * by the name as well, which is known before the database is asked, so that a refusal costs no look-up.
 *
 * Two things keep the limit from being a weapon. Counting by pair: nobody can lock a user out from elsewhere, and one
 * locked name leaves the other users of an address alone. And the limit of an address does not hold for a user who has
 * lately signed in from it. Such a user is still refused by the limit of the pair, right password or not: comparing
 * passwords without it, were it with remembered ones only, would give everybody behind the same address unlimited guesses.
 * The exemption tells those who share the address, after a thousand failures, who else signs in from there; no more.
 *
 * Counters live in this process and are bounded in number.
 */
import type { Clock } from '../model/clock.ts';
import { toNetwork } from './network.ts';
import type { RecentSignIns } from './recent-sign-ins.ts';

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
  /** Of the user who has the name, where that is known already. */
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
  /** Takes a place. @returns Gives it back, once: the attempt was no failure. */
  take(attempt: Attempt): () => void;
  /** The attempt was right: the limit of the address does not hold for that name there, for a day. */
  remember(attempt: Attempt): void;
  /** True when the name has lately signed in from that address. */
  isRemembered(attempt: Attempt): boolean;
}

interface ThrottleParts {
  readonly limits: ThrottleLimits;
  readonly recent: RecentSignIns;
  readonly clock: Clock;
  /** Told when the first attempt is refused, once for each counter and window. */
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
}

/** Code units of the longest username. */
const NAME_LENGTH_MAX = 128;
/** About 15 MB at the most. Beyond it, the oldest counter is forgotten. */
const COUNTERS_MAX = 50_000;

export function createThrottle({ limits, recent, clock, onTrip }: ThrottleParts): Throttle {
  const windowMs = limits.windowSeconds * 1000;
  const failuresMax = { address: limits.failuresPerAddressMax, name: limits.failuresPerNameMax };
  const counters = new Map<string, Counter>();

  function find(key: string): Counter | undefined {
    const counter = counters.get(key);
    const remainingMs = (counter?.endsAtMs ?? 0) - clock();
    return remainingMs > 0 && remainingMs <= windowMs ? counter : undefined; // more remains only when the clock was set back
  }

  function takePlace(key: string, userId: number | undefined): () => void {
    const counter = find(key) ?? begin(key, userId);
    counter.failures += 1;
    return () => {
      counter.failures -= 1;
      if (counter.failures === 0 && counters.get(key) === counter) {
        counters.delete(key); // honest sign-ins leave nothing behind
      }
    };
  }

  function begin(key: string, userId: number | undefined): Counter {
    const counter = { endsAtMs: clock() + windowMs, userId, failures: 0, isReported: false };
    counters.delete(key); // an ended one, so that the new one is the youngest
    forgetOldestBeyond(counters, COUNTERS_MAX - 1);
    counters.set(key, counter);
    return counter;
  }

  function report({ counter, limit, attempt }: { counter: Counter; limit: Trip['limit']; attempt: Attempt }): void {
    if (!counter.isReported) {
      counter.isReported = true;
      onTrip({ network: toNetwork(attempt.address), limit, userId: limit === 'name' ? counter.userId : undefined });
    }
  }

  function isRemembered(attempt: Attempt): boolean {
    return attempt.name !== undefined && recent.has(toPair(attempt, attempt.name));
  }

  return {
    secondsToWait(attempt) {
      const full = toKeys(attempt).flatMap(({ text, limit }) => {
        const counter = find(text);
        return counter !== undefined && counter.failures >= failuresMax[limit] ? [{ counter, limit, attempt }] : [];
      });
      const [first, ...others] = full.filter(({ limit }) => limit === 'name' || !isRemembered(attempt));
      if (first === undefined) {
        return 0;
      }
      report(first);
      return Math.ceil((Math.max(...[first, ...others].map(({ counter }) => counter.endsAtMs)) - clock()) / 1000);
    },
    take(attempt) {
      const givers = toKeys(attempt).map(({ text, limit }) => takePlace(text, limit === 'name' ? attempt.userId : undefined));
      return () => givers.forEach((giveBack) => giveBack());
    },
    remember(attempt) {
      void (attempt.name !== undefined && recent.add(toPair(attempt, attempt.name)));
    },
    isRemembered,
  };
}

/** No address contains a space, and no name a colon (RFC 7617 §2), so nothing can be confused; no user has a longer name. */
function toKeys(attempt: Attempt): readonly Key[] {
  const { address, name, userId } = attempt;
  return [
    { text: toNetwork(address), limit: 'address' },
    ...(name === undefined ? [] : [{ text: toPair(attempt, name), limit: 'name' } as const]),
    ...(userId === undefined ? [] : [{ text: toPair(attempt, `:${userId}`), limit: 'name' } as const]),
  ];
}

function toPair({ address }: Attempt, user: string): string {
  return `${toNetwork(address)} ${user.slice(0, NAME_LENGTH_MAX)}`;
}

function forgetOldestBeyond(counters: Map<string, Counter>, sizeMax: number): void {
  for (const key of counters.keys()) {
    if (counters.size <= sizeMax) {
      return;
    }
    counters.delete(key);
  }
}
