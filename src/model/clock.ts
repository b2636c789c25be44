/** @returns Milliseconds since 1970-01-01T00:00:00Z, as `Date.now` does. */
export type Clock = () => number;

/** A time in UTC like `2026-11-20T21:09:00.000Z` (RFC 3339); such texts sort in the order of times. */
export type Timestamp = string & { readonly __brand: 'Timestamp' };

let latest = { instantMs: NaN, timestamp: '' as Timestamp };

/**
 * Keeps the latest timestamp, because a request formats the same millisecond three times, and formatting it
 * takes 3 % of the CPU time of a short request.
 *
 * @param instantMs - A time between the years 0 and 9999.
 */
export function toTimestamp(instantMs: number): Timestamp {
  if (instantMs !== latest.instantMs) {
    latest = { instantMs, timestamp: new Date(instantMs).toISOString() as Timestamp };
  }
  return latest.timestamp;
}
