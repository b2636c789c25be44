import { setImmediate, setTimeout as pause } from 'node:timers/promises';

/**
 * If the condition never holds, the test fails at its own time limit. Without a pause, `until` checks the
 * condition in each iteration of the event loop. During a pause, other processes can run.
 */
export async function until(condition: () => boolean | Promise<boolean>, pauseMs = 0): Promise<void> {
  while (!(await condition())) {
    await (pauseMs > 0 ? pause(pauseMs) : setImmediate());
  }
}
