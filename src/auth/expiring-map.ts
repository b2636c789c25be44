/** A map in memory whose entries expire. It is bounded: when it is full, the oldest entry is dropped. */
import type { Clock } from '../model/clock.ts';

/**
 * Time servers set clocks back by less than this, which prolongs an entry a little. An entry with more than
 * its lifetime and this left is from a clock that was far ahead. It has expired, so that nobody waits for it.
 */
const CORRECTION_MS_MAX = 60_000;

export function createExpiringMap<Key, Value>(
  { lifetimeMs, entriesMax, clock }: {
    readonly lifetimeMs: number;
    readonly entriesMax: number;
    readonly clock: Clock;
  },
) {
  const entries = new Map<Key, { readonly value: Value; readonly endsAtMs: number }>();

  /** @returns The rest of an entry's lifetime; 0 without an entry. */
  function remainingMs(key: Key): number {
    const restMs = (entries.get(key)?.endsAtMs ?? 0) - clock();
    return restMs > 0 && restMs <= lifetimeMs + CORRECTION_MS_MAX ? restMs : 0;
  }

  return {
    remainingMs,
    get: (key: Key) => (remainingMs(key) > 0 ? entries.get(key)?.value : undefined),
    /** Adds or replaces the entry. Its lifetime starts now. */
    set(key: Key, value: Value): void {
      entries.delete(key); // so that the map stays in the order of age
      entries.set(key, { value, endsAtMs: clock() + lifetimeMs });
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
  };
}
