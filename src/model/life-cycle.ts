/**
 * The stage that this process has reached. `programs/life-cycle.ts` moves it on; probes and answers go by it.
 */
export interface LifeCycle {
  /** It was asked to end: what comes is still answered, but nothing more should be sent to it. */
  isEnding: boolean;
}
