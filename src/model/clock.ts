/** @returns Milliseconds since 1970-01-01T00:00:00Z, as `Date.now` does. */
export type Clock = () => number;

/**
 * An instant in RFC 3339 and UTC: `2026-11-20T21:09:00.000Z`. The database relies on the equal length of
 * timestamps: sorted as text, they are in the order of time.
 */
export type Timestamp = string & { readonly __brand: 'Timestamp' };

/** @param instantMs - Between the years 0 and 9999. */
export function toTimestamp(instantMs: number): Timestamp {
  return new Date(instantMs).toISOString() as Timestamp;
}
