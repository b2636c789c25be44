/**
 * Counts the failures of each key within a window that the first one begins, and says how long a key with too
 * many failures must wait. The counters live in this process and are bounded in number.
 */
import type { Clock } from '../model/clock.ts';
import { createExpiringMap } from './expiring-map.ts';

const WINDOW_MS = 300_000;

/** The most counters, in about 7 MB. */
const COUNTERS_MAX = 25_000;

export interface FailureLimit {
  /** Seconds until a further attempt is allowed, 0 when it is allowed now. */
  secondsToWait(key: string): number;
  /** Counts a failure. @returns A function that takes it back, to be called once, after a success. */
  reserve(key: string): () => void;
}

/** @param onReached - Called for the first refused attempt, once for each key and window. */
export function createFailureLimit(
  failuresMax: number, clock: Clock, onReached: (key: string) => void,
): FailureLimit {
  const counters = createExpiringMap<string, { failures: number; isReported: boolean }>({
    lifetimeMs: WINDOW_MS, entriesMax: COUNTERS_MAX, clock,
  });

  return {
    secondsToWait(key) {
      const counter = counters.get(key);
      if (counter === undefined || counter.failures < failuresMax) {
        return 0;
      }
      if (!counter.isReported) {
        counter.isReported = true;
        onReached(key);
      }
      return Math.ceil(counters.remainingMs(key) / 1000);
    },
    reserve(key) {
      const counter = counters.get(key) ?? { failures: 0, isReported: false };
      void (counters.get(key) ?? counters.set(key, counter));
      counter.failures += 1;
      return () => {
        counter.failures -= 1;
      };
    },
  };
}
