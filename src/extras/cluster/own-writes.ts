/**
 * Remembers the tickets of the latest writes of this process. A node that holds all remembered tickets has
 * applied every write that was acknowledged to this process. A write that is sent after another write was
 * acknowledged stands later in the log, so the ticket of the earlier write is no longer needed.
 */

interface Acknowledged {
  readonly ticket: string;
  /** True if a second copy of the write may be on the way: then the write's ticket must stay in the table. */
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

    /** @returns Tickets that can be removed from the table. */
    acknowledge({ ticket, hasCopies, sentAt }: Acknowledged): readonly string[] {
      const followed = writes.filter(({ acknowledgedAt }) => acknowledgedAt < sentAt);
      time += 1;
      const others = writes.filter((write) => !followed.includes(write));
      writes = [...others, { ticket, hasCopies, acknowledgedAt: time }];
      return followed.filter((write) => !write.hasCopies).map((write) => write.ticket);
    },
  };
}
