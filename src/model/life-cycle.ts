/**
 * The stage that this process has reached. `programs/life-cycle.ts` sets it; probes and responses read it.
 */
export interface LifeCycle {
  /**
   * True once the process was asked to end. It still answers, but load balancers should send nothing more.
   */
  isEnding: boolean;
}
