/** Instants as text. The clock is a parameter everywhere, so that tests can stop it. */

/** Milliseconds since 1970-01-01T00:00:00Z, as `Date.now`. */
export type Clock = () => number;

/**
 * An instant in RFC 3339, UTC, always with milliseconds and `Z`: `2026-11-20T21:09:00.000Z`. Because the
 * width is fixed (24 characters, years 0000 to 9999), timestamps sort as text in the order of time; the
 * database relies on it.
 */
export type Timestamp = string & { readonly __brand: 'Timestamp' };

/** @param instantMs - Between the years 0 and 9999. An instant far beyond them throws a `RangeError`. */
export function toTimestamp(instantMs: number): Timestamp {
  if (instantMs !== latest.instantMs) {
    latest = { instantMs, text: new Date(instantMs).toISOString() as Timestamp };
  }
  return latest.text;
}

/** The latest conversion, kept because many requests ask within the same millisecond. */
let latest = { instantMs: 0, text: new Date(0).toISOString() as Timestamp };
