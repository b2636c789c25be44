/** Counts failed sign-ins, which the audit trail records by number rather than one by one: an attack makes thousands. */
export interface FailureCount {
  /** @param more - One unless given; more to put back what was taken. */
  add(more?: number): void;
  /** @returns The number since the last call. */
  take(): number;
}

export function createFailureCount(): FailureCount {
  let count = 0;
  return {
    add(more = 1) {
      count += more;
    },
    take() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
