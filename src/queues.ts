/** The queues for hashes and for long reads, which a flood of requests must not start all at once. */
import type { Config } from './config.ts';
import { createFairQueue } from './scheduling/fair-queue.ts';
import { createLoopShare } from './scheduling/loop-share.ts';

/** If a hash would wait in its queue for longer than this time, the request is refused at once. */
export const PASSWORD_WAIT_MS_MAX = 30_000;

export function createQueues({ database }: Config, passwordWaitMs = PASSWORD_WAIT_MS_MAX) {
  const isEmbedded = database.driver === 'sqlite';
  return {
    // Two hashes at a time use both cores of a small machine, and two of the four threads of Node.js.
    passwords: createFairQueue({ runningMax: 2, waitMsMax: passwordWaitMs, durationMsGuessed: 150 }),
    reads: createFairQueue({
      // SQLite reads in this process, one read at a time. A cluster reads in other processes.
      runningMax: isEmbedded ? 1 : 16,
      waitMsMax: 10_000, // clients and people give up after about this time
      durationMsGuessed: 5,
      ...(isEmbedded && { pauseAfter: createLoopShare() }),
    }),
  };
}
