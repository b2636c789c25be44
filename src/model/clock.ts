/** Instants as text. The clock is a parameter everywhere, so that tests can stop it. */

/** Milliseconds since 1970-01-01T00:00:00Z, as `Date.now`. */
export type Clock = () => number;

/**
 * An instant in RFC 3339 and UTC: `2026-11-20T21:09:00.000Z`. Every timestamp has 24 characters, so
 * timestamps sort as text in the order of time. The database relies on this order.
 */
export type Timestamp = string & { readonly __brand: 'Timestamp' };

/** @param instantMs - Between the years 0 and 9999; an instant far outside throws a `RangeError`. */
export function toTimestamp(instantMs: number): Timestamp {
  return new Date(instantMs).toISOString() as Timestamp;
}
