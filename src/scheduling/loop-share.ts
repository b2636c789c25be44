/**
 * Leaves half of the time of the event loop to other work: in each turn of the loop, Node.js accepts only one
 * connection, so turns full of queued work would keep new clients waiting for minutes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** @returns A function that pauses for as long as the work took, or until there is no other work. */
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
