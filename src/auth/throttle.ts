/**
 * Limits guessing: failed sign-ins are counted for each pair of client address and username, and, with a larger allowance,
 * for each address. A place is taken before the password is checked and given back when it was right, so that parallel
 * guesses get no more checks than guesses one by one.
 *
 * Counting by pair keeps the limit from being a weapon: nobody can lock a user out from elsewhere, and one locked name
 * leaves the other users of an address alone. Counters live in this process and are bounded in number.
 */
import type { Clock } from '../model/clock.ts';

interface ThrottleLimits {
  /** Failures within a window for one address and username. */
  readonly failuresPerNameMax: number;
  /** Failures within a window for one address, whatever the username. */
  readonly failuresPerAddressMax: number;
  readonly windowSeconds: number;
}

/** Whose attempt it is; without a name it counts for the address alone. */
export interface Attempt {
  readonly address: string;
  readonly name?: string;
}

export interface Throttle {
  /** Seconds until a further attempt is allowed, 0 when it is allowed now. */
  secondsToWait(attempt: Attempt): number;
  /** Takes a place. */
  take(attempt: Attempt): void;
  /** Gives a place back that `take` took: the attempt was no failure. */
  giveBack(attempt: Attempt): void;
}

interface Counter {
  readonly endsAtMs: number;
  failures: number;
}

/** About 10 MB at the most. Beyond it, the oldest counter is forgotten. */
const COUNTERS_MAX = 50_000;

export function createThrottle(limits: ThrottleLimits, clock: Clock): Throttle {
  const counters = new Map<string, Counter>();

  function find(key: string): Counter | undefined {
    const counter = counters.get(key);
    return counter !== undefined && counter.endsAtMs > clock() ? counter : undefined;
  }

  function add(key: string, difference: 1 | -1): void {
    const counter = find(key);
    if (counter !== undefined) {
      counter.failures += difference;
      if (counter.failures === 0) {
        counters.delete(key); // honest sign-ins leave nothing behind
      }
    } else if (difference > 0) {
      counters.delete(key); // an ended one, so that the new one is the youngest
      forgetOldestBeyond(counters, COUNTERS_MAX - 1);
      counters.set(key, { endsAtMs: clock() + limits.windowSeconds * 1000, failures: 1 });
    }
  }

  return {
    secondsToWait(attempt) {
      const full = keysOf(attempt, limits)
        .filter(({ key, max }) => (find(key)?.failures ?? 0) >= max)
        .map(({ key }) => find(key)?.endsAtMs ?? 0);
      return full.length === 0 ? 0 : Math.ceil((Math.max(...full) - clock()) / 1000);
    },
    take(attempt) {
      keysOf(attempt, limits).forEach(({ key }) => add(key, 1));
    },
    giveBack(attempt) {
      keysOf(attempt, limits).forEach(({ key }) => add(key, -1));
    },
  };
}

function keysOf({ address, name }: Attempt, limits: ThrottleLimits): readonly { key: string; max: number }[] {
  const network = toNetwork(address);
  const ofAddress = { key: network, max: limits.failuresPerAddressMax };
  // No address contains a space, so the two parts cannot be confused.
  return name === undefined ? [ofAddress] : [ofAddress, { key: `${network} ${name}`, max: limits.failuresPerNameMax }];
}

/** One IPv6 customer holds a /64 network at least (RFC 6177), so all of its addresses count as one. */
function toNetwork(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) {
    return address;
  }
  const [head = ''] = address.split('::');
  return `${head.split(':').slice(0, 4).join(':')}::/64`;
}

function forgetOldestBeyond(counters: Map<string, Counter>, sizeMax: number): void {
  for (const key of counters.keys()) {
    if (counters.size <= sizeMax) {
      return;
    }
    counters.delete(key);
  }
}
