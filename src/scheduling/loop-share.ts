/**
 * Leaves at least half of the event loop to others while synchronous work is queued. Node.js accepts only one
 * connection in each turn of the event loop, so turns that are full of work would keep new clients waiting
 * for minutes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Work that takes less than this altogether shares a turn of the event loop. */
const TURN_MS_MAX = 1;

/** @returns A function to call after each piece of work. It resolves once others have had their share. */
export function createLoopShare(): (workedMs: number) => Promise<void> | undefined {
  let sincePauseMs = 0;
  return (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs < TURN_MS_MAX) {
      return undefined;
    }
    const pauseMs = sincePauseMs;
    sincePauseMs = 0;
    return serveOthers(pauseMs);
  };
}

/** Lets the event loop turn for as long as the work took, or until nothing else is left to do. */
async function serveOthers(msMax: number): Promise<void> {
  const untilMs = performance.now() + msMax;
  let seen: number;
  await setImmediate(); // the rest of this turn
  do {
    seen = performance.nodeTiming.uvMetricsInfo.events; // of connections, files and threads
    await setImmediate();
  } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
}
