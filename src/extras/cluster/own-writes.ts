/**
 * Remembers the tickets of the latest writes. A node that holds these tickets has applied every write that
 * was acknowledged to this process.
 *
 * A write that is sent after the acknowledgement of an earlier write follows it in the log, so the earlier
 * ticket is no longer needed. At most as many tickets are needed as writes were in flight at the same time.
 */

interface Acknowledged {
  readonly ticket: string;
  /** While a copy of the write may be on the way, the ticket must stay in the table. */
  readonly hasCopies: boolean;
  /** The result of `now()` before the write was sent. */
  readonly sentAt: number;
}

export function createOwnWrites() {
  let writes: readonly (Omit<Acknowledged, 'sentAt'> & { readonly acknowledgedAt: number })[] = [];
  let time = 0;
  return {
    latest: (): readonly string[] => writes.map(({ ticket }) => ticket),

    /** A counter that orders the sending and the acknowledgement of writes. */
    now: () => (time += 1),

    /** @returns Tickets that are no longer needed. */
    acknowledge({ ticket, hasCopies, sentAt }: Acknowledged): readonly string[] {
      const followed = writes.filter(({ acknowledgedAt }) => acknowledgedAt < sentAt);
      time += 1;
      const others = writes.filter((write) => !followed.includes(write));
      writes = [...others, { ticket, hasCopies, acknowledgedAt: time }];
      return followed.filter((write) => !write.hasCopies).map((write) => write.ticket);
    },
  };
}
