/** What remains of many numbers. */

/**
 * The smallest of the numbers that at least the given share of them does not exceed (nearest rank).
 *
 * @param sorted - In ascending order.
 * @param share - Above 0, at most 1.
 * @returns NaN when there are no numbers.
 */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(sorted.length * share), 1) - 1] ?? NaN;
}

/** The middle one, or the mean of the middle two. @returns NaN when there are no numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}
