/** A map in memory whose entries expire. A full map drops its oldest entry for a new one. */
import type { Clock } from '../model/clock.ts';

export function createExpiringMap<Key, Value>(
  { lifetimeMs, entriesMax }: Readonly<Record<'lifetimeMs' | 'entriesMax', number>>, clock: Clock,
) {
  const entries = new Map<Key, { readonly value: Value; readonly setAtMs: number }>();

  /**
   * @returns The rest of an entry's lifetime; 0 without an entry. An entry from the future has expired too,
   *   if it is more than its lifetime ahead. So nobody waits for a year after a clock that was a year ahead
   *   is set back.
   */
  function remainingMs(key: Key): number {
    const setAtMs = entries.get(key)?.setAtMs ?? -Infinity;
    return Math.max(lifetimeMs - Math.abs(clock() - setAtMs), 0);
  }

  return {
    remainingMs,
    get: (key: Key) => (remainingMs(key) > 0 ? entries.get(key)?.value : undefined),
    delete: (key: Key) => void entries.delete(key),
    /** Adds or replaces the entry. Its lifetime starts now. */
    set(key: Key, value: Value): void {
      entries.delete(key); // so that the map stays in the order of age
      entries.set(key, { value, setAtMs: clock() });
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
  };
}
