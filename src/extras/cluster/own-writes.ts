/**
 * Knows which tickets a node holds if it has applied every write that was acknowledged to this process.
 *
 * A write that was sent after another one was acknowledged follows it in the log. So of the acknowledged
 * writes only those count that no acknowledged write is known to follow: as many as were on the way at the
 * same time.
 */

interface OwnWrite {
  readonly ticket: string;
  /** A copy of the write may be on the way, so its ticket must stay in the table. */
  readonly hasCopies: boolean;
  readonly acknowledgedAt: number;
}

interface OwnWrites {
  /** Tickets of the latest writes, which stay in the table. */
  latest(): readonly string[];
  /** A number that orders what is sent and what is acknowledged. */
  now(): number;
  /**
   * @param sentAt - The result of `now` before the write was sent.
   * @returns Tickets that are no longer needed.
   */
  acknowledge(write: Omit<OwnWrite, 'acknowledgedAt'> & { readonly sentAt: number }): readonly string[];
}

export function createOwnWrites(): OwnWrites {
  let writes: readonly OwnWrite[] = [];
  let time = 0;
  return {
    latest: () => writes.map(({ ticket }) => ticket),
    now: () => (time += 1),
    acknowledge({ ticket, hasCopies, sentAt }) {
      const followed = writes.filter(({ acknowledgedAt }) => acknowledgedAt < sentAt);
      time += 1;
      const others = writes.filter((write) => !followed.includes(write));
      writes = [...others, { ticket, hasCopies, acknowledgedAt: time }];
      return followed.filter((write) => !write.hasCopies).map((write) => write.ticket);
    },
  };
}
