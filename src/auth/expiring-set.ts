/** A set in memory that is bounded in number, and whose entries expire. */
import type { Clock } from '../model/clock.ts';

interface ExpiringSet<Entry> {
  /** Adds an entry, or starts its lifetime again. A full set drops its oldest entry. */
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
      const [oldest] = endsAtMsByEntry.keys();
      if (endsAtMsByEntry.size > entriesMax && oldest !== undefined) {
        endsAtMsByEntry.delete(oldest);
      }
    },
    has(entry) {
      const remainingMs = (endsAtMsByEntry.get(entry) ?? 0) - clock();
      return remainingMs > 0 && remainingMs <= lifetimeMs; // a longer time means that the clock was set back
    },
  };
}
