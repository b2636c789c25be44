/**
 * Remembers the tickets of the latest writes. A node that holds them has applied every write acknowledged to
 * this process.
 *
 * A write that is sent after the acknowledgement of another write follows that write in the log. So an
 * acknowledged write no longer matters once a later write is known to follow it. Never do more writes matter
 * than were in flight at the same time.
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
  /** A counter that orders the sending and the acknowledgement of writes. */
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
