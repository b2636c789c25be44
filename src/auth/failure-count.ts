/** Counts failed sign-ins, which the audit trail records by number rather than one by one: an attack makes thousands. */
export interface FailureCount {
  add(): void;
  /** @returns The number since the last call. */
  take(): number;
}

export function createFailureCount(): FailureCount {
  let count = 0;
  return {
    add() {
      count += 1;
    },
    take() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
