/**
 * A set in memory whose entries expire. It is bounded: when it is full, the oldest entry is dropped. The
 * entries of the throttle follow the same two rules.
 */
import type { Clock } from '../model/clock.ts';

interface ExpiringSet<Entry> {
  /** Adds an entry, or starts its lifetime again. */
  add(entry: Entry): void;
  has(entry: Entry): boolean;
}

export function createExpiringSet<Entry extends string>(
  { lifetimeMs, entriesMax, clock }: {
    readonly lifetimeMs: number;
    readonly entriesMax: number;
    readonly clock: Clock;
  },
): ExpiringSet<Entry> {
  const endsAtMsByEntry = new Map<Entry, number>();
  return {
    add(entry) {
      endsAtMsByEntry.delete(entry); // so that the map stays in the order of expiry
      endsAtMsByEntry.set(entry, clock() + lifetimeMs);
      forgetOldestBeyond(endsAtMsByEntry, entriesMax);
    },
    has: (entry) => isRunning((endsAtMsByEntry.get(entry) ?? 0) - clock(), lifetimeMs),
  };
}

/** True until the time is over. A remainder longer than the whole time means that the clock was set back. */
export function isRunning(remainingMs: number, wholeMs: number): boolean {
  return remainingMs > 0 && remainingMs <= wholeMs;
}

/** @param entries - The oldest entry comes first, and at most one is too many. */
export function forgetOldestBeyond<Key>(entries: Map<Key, unknown>, sizeMax: number): void {
  const [oldest] = entries.keys();
  if (entries.size > sizeMax && oldest !== undefined) {
    entries.delete(oldest);
  }
}
