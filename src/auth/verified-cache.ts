/**
 * Remembers for a minute which passwords were right. HTTP Basic sends the password with every request, and a
 * check takes about 150 ms by design: without the cache, ten requests a second would keep a core busy.
 *
 * The cache keeps only digests of passwords. A digest includes a secret of this process, and the stored hash,
 * so a changed password takes effect at once. In a digest, JSON separates hash and password: if the texts
 * were only joined, `ab` + `c` and `a` + `bc` would have the same digest (CVE-2022-46146).
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../model/clock.ts';
import { createExpiringMap } from './expiring-map.ts';

export type VerifiedCache = ReturnType<typeof createVerifiedCache>;

export const VERIFIED_SECONDS = 60;

const ENTRIES_MAX = 1_000;

/** @param lifetimeSeconds - How long a right password is remembered; 0 turns the cache off. */
export function createVerifiedCache(lifetimeSeconds: number, clock: Clock) {
  const secret = randomBytes(32).toString('base64');
  const keys = createExpiringMap<string, true>(
    { lifetimeMs: lifetimeSeconds * 1000, entriesMax: ENTRIES_MAX }, clock,
  );
  const lookUps = { hits: 0, misses: 0 };

  return {
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
