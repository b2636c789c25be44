/** The queues for hashes and for long reads, which a flood of requests must not start all at once. */
import type { Config } from './config.ts';
import { createFairQueue, type FairQueue } from './scheduling/fair-queue.ts';
import { createLoopShare } from './scheduling/loop-share.ts';

export type Queues = Readonly<Record<'passwords' | 'reads', FairQueue>>;

/** If a hash would wait in its queue for longer than this time, the request is refused at once. */
export const PASSWORD_WAIT_MS_MAX = 30_000;

export function createQueues({ database }: Config, passwordWaitMs = PASSWORD_WAIT_MS_MAX): Queues {
  return {
    passwords: createFairQueue({
      // Two hashes at the same time use both cores of a small machine, and two of the four threads in the
      // pool of Node.js.
      runningMax: 2,
      waitMsMax: passwordWaitMs,
      durationMsGuessed: 150,
    }),
    reads: createFairQueue({
      // SQLite runs in this process, so its reads cannot overlap. A cluster reads in other processes, so many
      // of its reads can overlap.
      runningMax: database.driver === 'sqlite' ? 1 : 16,
      waitMsMax: 10_000, // clients and people give up after about this time
      durationMsGuessed: 5,
      ...(database.driver === 'sqlite' && { pauseAfter: createLoopShare() }),
    }),
  };
}
