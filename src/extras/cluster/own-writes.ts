/**
 * Remembers the tickets of the latest writes of this process. If a node has all remembered tickets, the node
 * has applied every acknowledged write of this process. Nodes apply writes in the order of the log. If write
 * A was acknowledged before write B was sent, a node that holds B also holds A. So only the ticket of B is
 * remembered.
 */

interface Acknowledged {
  readonly ticket: string;
  /** True if a second copy of the write may still reach the cluster, so the ticket must stay in the table. */
  readonly hasCopies: boolean;
  /** The value that `now()` returned before the write was sent. */
  readonly sentAt: number;
}

export function createOwnWrites() {
  let writes: readonly (Omit<Acknowledged, 'sentAt'> & { readonly acknowledgedAt: number })[] = [];
  let time = 0;
  return {
    latest: (): readonly string[] => writes.map(({ ticket }) => ticket),

    /** Advances and reads the logical clock for `sentAt` and `acknowledgedAt`. */
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
