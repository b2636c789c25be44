/**
 * Limits password guessing: counts failed sign-ins for each pair of network and name, and for each network.
 * Every attempt counts as a failure until its password is checked. If the password is right, the attempt no
 * longer counts. So parallel guesses get no more checks than sequential guesses.
 *
 * Wrong guesses lock a user out only on the network of the attacker. After too many failures with one name
 * on a network, even the right password is refused, so guessing is useless. When a network has reached its
 * limit, only users with a recent sign-in from this network can sign in. Other people on this network can
 * therefore find out the names of these users.
 */
import { toNetwork } from '../http/client-address.ts';
import type { Clock } from '../model/clock.ts';
import { USERNAME_LENGTH_MAX, type NameKey } from '../model/name.ts';
import { createExpiringMap } from './expiring-map.ts';

/**
 * After a user signs in from a network, the limit of this network exempts the username for a day. All exempt
 * names together take at most 5 MB of memory. To displace all exempt names, an attacker needs `entriesMax`
 * sign-ins. Two cores need half an hour to hash so many passwords.
 */
const EXEMPT = { lifetimeMs: 86_400_000, entriesMax: 20_000 };

/** A counter counts failures for five minutes. The counters of one limit take at most 7 MB. */
const COUNTERS = { lifetimeMs: 300_000, entriesMax: 25_000 };

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * @param onReached - Called when a limit is reached. The username is not passed, because some users type a
 * password as the username.
 */
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
    const pair = `${network} ${name.slice(0, 2 * USERNAME_LENGTH_MAX)}`; // `network` contains no space
    const isRemembered = () => exempt.get(pair) === true;
    return {
      /** True if the network's limit on failed sign-ins does not apply to the name. */
      isRemembered,
      remember: () => exempt.set(pair, true),
      secondsToWait: () =>
        pairs.secondsToWait(pair) || (isRemembered() ? 0 : networks.secondsToWait(network)),
      attempt: <Result>(check: () => Promise<Result>, isFailure: (result: Result) => boolean) =>
        pairs.attempt(pair, () => networks.attempt(network, check, isFailure), isFailure),
    };
  };
}

export type FailureLimit = ReturnType<typeof createFailureLimit>;

/** Counts the failures for each key until five minutes have passed since the first failure. */
export function createFailureLimit(failuresMax: number, clock: Clock, onReached: (key: string) => void) {
  const counters = createExpiringMap<string, { failures: number }>(COUNTERS, clock);
  return {
    /** @returns 0 if an attempt is allowed now. */
    secondsToWait(key: string): number {
      const isFull = (counters.get(key)?.failures ?? 0) >= failuresMax;
      return isFull ? Math.ceil(counters.remainingMs(key) / 1000) : 0;
    },
    /** Adds one to the count, then runs the check. Subtracts one again if the attempt did not fail. */
    async attempt<Result>(key: string, check: () => Promise<Result>, isFailure: (result: Result) => boolean) {
      const counter = counters.get(key) ?? { failures: 0 };
      if (counter.failures === 0) {
        counters.set(key, counter);
      }
      counter.failures += 1;
      if (counter.failures === failuresMax) {
        onReached(key);
      }
      let hasFailed = false; // stays false if an outage ends the check
      try {
        const result = await check();
        hasFailed = isFailure(result);
        return result;
      } finally {
        if (!hasFailed) {
          counter.failures -= 1;
        }
        if (counter.failures === 0 && counters.get(key) === counter) {
          counters.delete(key); // an empty counter could displace another counter from a full map
        }
      }
    },
  };
}
