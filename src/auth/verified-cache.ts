/**
 * Remembers for a short time which passwords were right. HTTP Basic sends the password with every request,
 * and checking it takes about 150 ms by design. Without the cache, ten requests a second would keep a core
 * busy.
 *
 * Only successes are remembered. The key is the SHA-256 of a random secret of this process, the stored hash
 * and the offered password. JSON separates the stored hash from the password: without it, `ab` + `c` and `a`
 * + `bc` would have the same key (CVE-2022-46146). The stored hash is part of the key, so a changed password
 * takes effect at once. No password is kept. An HMAC would add nothing: nobody sees a key, so nobody can
 * compute the key of a longer text from it.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../model/clock.ts';
import { createExpiringMap } from './expiring-map.ts';

export type VerifiedCache = ReturnType<typeof createVerifiedCache>;

export const VERIFIED_SECONDS = 60;

const ENTRIES_MAX = 1_000;

/** @param lifetimeSeconds - 0 turns the cache off. */
export function createVerifiedCache(lifetimeSeconds: number, clock: Clock) {
  const secret = randomBytes(32).toString('base64');
  const keys = createExpiringMap<string, true>(
    { lifetimeMs: lifetimeSeconds * 1000, entriesMax: ENTRIES_MAX }, clock,
  );
  const lookUps = { hits: 0, misses: 0 };

  return {
    /** Counts the calls of `has` that found the password (hits) or did not find it (misses). */
    lookUps: lookUps as Readonly<typeof lookUps>,
    toKey: (storedHash: string, password: string) =>
      hash('sha256', secret + JSON.stringify([storedHash, password]), 'base64'),
    has(key: string): boolean {
      const isKnown = keys.get(key) === true;
      lookUps[isKnown ? 'hits' : 'misses'] += 1;
      return isKnown;
    },
    add: (key: string) => keys.set(key, true),
  };
}
