/** Leaves at least half of the event loop to others while synchronous work is queued. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Call it after each piece of work. It lets the event loop turn for as long as the work took, or until nobody
 * else has anything to do. Node.js accepts only one connection in each turn, so turns full of work would keep
 * new clients waiting for minutes.
 */
export async function shareLoop(workedMs: number): Promise<void> {
  const untilMs = performance.now() + workedMs;
  let seen: number;
  await nextTurn(); // the rest of this turn
  do {
    seen = performance.nodeTiming.uvMetricsInfo.events; // of connections, files and threads
    await nextTurn();
  } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
}
