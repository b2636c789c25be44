/** While synchronous work is queued, leaves at least half of the time of the event loop to other work. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * @returns A function to call after each piece of work. After a millisecond of work in total, this function
 *   pauses for as long as the work took, or until there is no other work. In each turn of the event loop,
 *   Node.js accepts only one connection, so turns full of work would keep new clients waiting for minutes.
 */
export function createLoopShare(): (workedMs: number) => Promise<void> {
  let sincePauseMs = 0;
  return async (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs >= 1) { // a pause after each short list would cost a third more CPU time
      const untilMs = performance.now() + sincePauseMs;
      sincePauseMs = 0;
      let seen: number;
      await nextTurn(); // waits for the rest of this turn of the event loop
      do {
        seen = performance.nodeTiming.uvMetricsInfo.events; // events of connections, files, threads
        await nextTurn();
      } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
    }
  };
}
