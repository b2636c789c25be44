/**
 * Limits password guessing: counts failures for each pair of network and name, and for each network. An
 * attempt reserves a place before its password is checked, and releases the place if the password is right,
 * so parallel guesses get no more checks than sequential guesses.
 *
 * An attacker can lock a user out only on the attacker's own network. Beyond the limit of a network and a
 * name, even the right password is refused, so that nobody can go on guessing. Beyond the limit of a network,
 * everybody on the network can find out which names are exempt.
 */
import { toNetwork } from '../http/client-address.ts';
import type { Clock } from '../model/clock.ts';
import { USERNAME_LENGTH_MAX, type NameKey } from '../model/name.ts';
import { createExpiringMap } from './expiring-map.ts';

/** The most failures of a network in five minutes: room for the typing errors of a school. */
export const FAILURES_PER_NETWORK_MAX = 1_000;

/**
 * A name is exempt from the limit of a network for a day after a right password. The latest 20,000 names are
 * kept, in 5 MB. An attacker who wants to replace all these names must sign in 20,000 times, and the hashes
 * of these passwords keep two cores busy for half an hour.
 */
const EXEMPT = { lifetimeMs: 86_400_000, entriesMax: 20_000 };

/** A counter counts failures for five minutes; 25,000 counters take about 7 MB. */
const COUNTERS = { lifetimeMs: 300_000, entriesMax: 25_000 };

export type Throttle = ReturnType<typeof createThrottle>;

/** @param onReached - Gets the network but no name: some users type their password as the name. */
export function createThrottle(
  limits: Readonly<Record<'failuresPerNameMax' | 'failuresPerNetworkMax', number>>, clock: Clock,
  onReached: (limit: 'name' | 'address', network: string) => void,
) {
  const exempt = createExpiringMap<string, true>(EXEMPT, clock);
  const pairs = createFailureLimit(limits.failuresPerNameMax, clock, (pair) =>
    onReached('name', pair.replace(/ .*/s, '')));
  const networks = createFailureLimit(limits.failuresPerNetworkMax, clock, (network) =>
    onReached('address', network));

  return (address: string, name: NameKey) => {
    const network = toNetwork(address);
    const pair = `${network} ${name.slice(0, 2 * USERNAME_LENGTH_MAX)}`; // the network contains no space
    const isRemembered = () => exempt.get(pair) === true;
    return {
      /** True if an earlier right password exempts the name from the limit of this network. */
      isRemembered,
      remember: () => exempt.set(pair, true),
      secondsToWait: () =>
        pairs.secondsToWait(pair) || (isRemembered() ? 0 : networks.secondsToWait(network)),
      reserve() {
        const releases = [pairs.reserve(pair), networks.reserve(network)];
        return () => releases.forEach((release) => release());
      },
    };
  };
}

export type FailureLimit = ReturnType<typeof createFailureLimit>;

/** Counts the failures of each key in a window of five minutes, which the first failure begins. */
export function createFailureLimit(failuresMax: number, clock: Clock, onReached: (key: string) => void) {
  const counters = createExpiringMap<string, { failures: number }>(COUNTERS, clock);
  return {
    /** @returns 0 if an attempt is allowed now. */
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
          counters.delete(key); // in a full map, an empty counter would displace another counter
        }
      };
    },
  };
}
