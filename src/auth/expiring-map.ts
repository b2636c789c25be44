/** A map whose entries expire. A full map drops its oldest entry when a new entry is added. */
import type { Clock } from '../model/clock.ts';

export function createExpiringMap<Key, Value>(
  { lifetimeMs, entriesMax }: Readonly<Record<'lifetimeMs' | 'entriesMax', number>>, clock: Clock,
) {
  const entries = new Map<Key, { readonly value: Value; readonly setAtMs: number }>();

  /** Without `Math.abs`, old entries would stay for a year if somebody set the clock back by a year. */
  function remainingMs(key: Key): number {
    const setAtMs = entries.get(key)?.setAtMs ?? -Infinity;
    return Math.max(lifetimeMs - Math.abs(clock() - setAtMs), 0);
  }

  return {
    remainingMs,
    get: (key: Key) => (remainingMs(key) > 0 ? entries.get(key)?.value : undefined),
    delete: (key: Key) => void entries.delete(key),
    set(key: Key, value: Value): void {
      entries.delete(key); // moves the key to the end, so that the first entry is always the oldest
      entries.set(key, { value, setAtMs: clock() });
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
  };
}
