/**
 * Leaves half of the time of the event loop to other work, if there is any. In each turn of the loop, Node.js
 * accepts only one connection, so long turns would make new clients wait for minutes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** @returns A function that pauses while other work waits, at most for as long as its caller has worked. */
export function createLoopShare(): (workedMs: number) => Promise<void> {
  let sincePauseMs = 0;
  return async (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs >= 1) { // a pause after each short read would add a third to the CPU time of the read
      const untilMs = performance.now() + sincePauseMs;
      sincePauseMs = 0;
      let seen: number;
      await nextTurn(); // waits for the rest of this turn of the event loop
      do {
        seen = performance.nodeTiming.uvMetricsInfo.events; // counts events of connections, files and threads
        await nextTurn();
      } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
    }
  };
}
