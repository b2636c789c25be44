/** Leaves at least half of the event loop to others while synchronous work is queued. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * @returns A function to call after each piece of work. After a millisecond of work in total, it pauses for
 *   the same time, or until nobody else has anything to do. Node.js accepts only one connection in each turn,
 *   so turns full of work would keep new clients waiting for minutes.
 */
export function createLoopShare(): (workedMs: number) => Promise<void> {
  let sincePauseMs = 0;
  return async (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs >= 1) { // a pause after each short list would cost a third more CPU time
      const untilMs = performance.now() + sincePauseMs;
      sincePauseMs = 0;
      let seen: number;
      await nextTurn(); // the rest of this turn
      do {
        seen = performance.nodeTiming.uvMetricsInfo.events; // events of connections, files, threads
        await nextTurn();
      } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
    }
  };
}
