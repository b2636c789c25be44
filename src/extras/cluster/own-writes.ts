/**
 * Remembers the tickets of the latest writes. A node that holds these tickets has applied every write that
 * was acknowledged to this process.
 *
 * A write that is sent after the acknowledgement of another write follows the other write in the log. So an
 * acknowledged write no longer matters once a later write is known to follow it. At most as many writes
 * matter as were in flight at the same time.
 */

interface Acknowledged {
  readonly ticket: string;
  /** A copy of the write may be on the way, so its ticket must stay in the table. */
  readonly hasCopies: boolean;
  /** The result of `now` before the write was sent. */
  readonly sentAt: number;
}

export function createOwnWrites() {
  let writes: readonly (Omit<Acknowledged, 'sentAt'> & { readonly acknowledgedAt: number })[] = [];
  let time = 0;
  return {
    /** @returns The tickets of the latest writes, which stay in the table. */
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
