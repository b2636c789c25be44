/**
 * Leaves at least half of the event loop to others while synchronous work is queued. Node.js accepts only one
 * connection in each turn of the event loop, so turns that are full of work would keep new clients waiting
 * for minutes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that takes less than this altogether shares a turn of the event loop. */
const TURN_MS_MAX = 1;

/**
 * @returns A function to call after each piece of work. It lets the event loop turn for as long as the work
 *   took, or until nothing else is left to do.
 */
export function createLoopShare(): (workedMs: number) => Promise<void> {
  let sincePauseMs = 0;
  return async (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs >= TURN_MS_MAX) {
      const untilMs = performance.now() + sincePauseMs;
      sincePauseMs = 0;
      let seen: number;
      await nextTurn(); // the rest of this turn
      do {
        seen = performance.nodeTiming.uvMetricsInfo.events; // of connections, files and threads
        await nextTurn();
      } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
    }
  };
}
