/**
 * Limits password guessing. Failures are counted for each pair of client network and name, and, with a larger
 * allowance, for each network. A place is reserved before the password is checked, and released if the
 * password was right. So parallel guesses get no more checks than sequential guesses.
 *
 * Two rules keep attackers from using the limits to lock other people out:
 * - Failures count by pair: nobody can lock a user out from another network, and a locked name does not
 *   affect the other users of its network.
 * - The limit of a network does not apply to users who signed in from that network within a day.
 *
 * The limit of a pair applies to everybody, also to the right password of a recent user. Beyond the limit, no
 * password is checked, not even against a remembered password. Otherwise everybody on the network of a recent
 * user could guess without limit. The rule about recent users has a price: once a network has reached its
 * limit, everybody on this network can find out which users signed in from it.
 */
import { toNetwork } from '../http/client-address.ts';
import type { Clock } from '../model/clock.ts';
import { USERNAME_LENGTH_MAX, type NameKey } from '../model/name.ts';
import { createExpiringMap } from './expiring-map.ts';

/** The most failures of a network within a window: room for the typing errors of a school. */
export const FAILURES_PER_ADDRESS_MAX = 1_000;

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * The most names that are exempt from the limit of a network, in about 5 MB. Only a right password adds a
 * name, and checking it costs a hash. An attacker who wants to push out all names keeps two cores of the
 * service busy for half an hour.
 */
const EXEMPT = { lifetimeMs: 86_400_000, entriesMax: 20_000 };

/** @param onReached - Gets no name, since some users type their password into the field for the name. */
export function createThrottle(
  { failuresPerNameMax, failuresPerAddressMax }:
    Readonly<Record<'failuresPerNameMax' | 'failuresPerAddressMax', number>>,
  clock: Clock, onReached: (limit: 'name' | 'address', network: string) => void,
) {
  const ofPairs = createFailureLimit(
    failuresPerNameMax, clock, (pair) => onReached('name', pair.replace(/ .*/s, '')),
  );
  const ofNetworks = createFailureLimit(
    failuresPerAddressMax, clock, (network) => onReached('address', network),
  );
  const exempt = createExpiringMap<string, true>(EXEMPT, clock);

  /** The limits for attempts at a name from an address. */
  return (address: string, name: NameKey) => {
    const network = toNetwork(address);
    // A name longer than any username is cut. No network contains a space.
    const pair = `${network} ${name.slice(0, 2 * USERNAME_LENGTH_MAX)}`;
    const isRemembered = () => exempt.get(pair) === true;
    return {
      isRemembered,
      /** Exempts the name from the limit of this network for a day, after a right password. */
      remember: () => exempt.set(pair, true),
      /** @returns Seconds until a further attempt is allowed, 0 when it is allowed now. */
      secondsToWait: () =>
        ofPairs.secondsToWait(pair) || (isRemembered() ? 0 : ofNetworks.secondsToWait(network)),
      /** Counts a failure. @returns A function that takes the failure back, to be called at most once. */
      reserve() {
        const releases = [ofPairs.reserve(pair), ofNetworks.reserve(network)];
        return () => releases.forEach((release) => release());
      },
    };
  };
}

export type FailureLimit = ReturnType<typeof createFailureLimit>;

/** A window of five minutes, and the most counters, which take about 7 MB. */
const COUNTERS = { lifetimeMs: 300_000, entriesMax: 25_000 };

/**
 * Counts the failures of each key within a window that the first failure begins.
 *
 * @param onReached - Called when a key has reached its limit of failures.
 */
export function createFailureLimit(failuresMax: number, clock: Clock, onReached: (key: string) => void) {
  const counters = createExpiringMap<string, { failures: number }>(COUNTERS, clock);
  return {
    /** @returns Seconds until a further attempt is allowed, 0 when it is allowed now. */
    secondsToWait(key: string): number {
      const isFull = (counters.get(key)?.failures ?? 0) >= failuresMax;
      return isFull ? Math.ceil(counters.remainingMs(key) / 1000) : 0;
    },
    /** Counts a failure. @returns A function that takes the failure back, to be called at most once. */
    reserve(key: string): () => void {
      const counter = counters.get(key) ?? { failures: 0 };
      if (counter.failures === 0) {
        counters.set(key, counter);
      }
      counter.failures += 1;
      if (counter.failures === failuresMax) {
        onReached(key);
      }
      return () => {
        counter.failures -= 1;
        if (counter.failures === 0 && counters.get(key) === counter) {
          counters.delete(key); // an unused counter could push out the counter of another key
        }
      };
    },
  };
}
