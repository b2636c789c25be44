/** The fair queues, one for each kind of work that a flood of requests must not start all at once. */
import type { Config } from './config.ts';
import { createFairQueue, type FairQueue } from './scheduling/fair-queue.ts';
import { createLoopShare } from './scheduling/loop-share.ts';

export type Queues = Readonly<Record<'passwords' | 'reads', FairQueue>>;

/**
 * The most hashes at once: enough to use both cores of a small machine. Two of the four threads in the pool
 * of Node.js remain for everything else.
 */
const HASHES_RUNNING_MAX = 2;
const HASH_MS_GUESSED = 150;

/** A password that would wait longer to be checked is refused at once. */
export const PASSWORD_WAIT_MS_MAX = 30_000;

/** SQLite runs in this process, so its reads cannot overlap. A cluster has processors of its own. */
const READS_RUNNING_MAX = { sqlite: 1, rqlite: 16 };
/** Clients and people give up after about this time. */
const READ_WAIT_MS_MAX = 10_000;
const READ_MS_GUESSED = 5;

export function createQueues(
  { database: { driver } }: Pick<Config, 'database'>, passwordWaitMs = PASSWORD_WAIT_MS_MAX,
): Queues {
  return {
    passwords: createFairQueue({
      runningMax: HASHES_RUNNING_MAX, waitMsMax: passwordWaitMs, durationMsGuessed: HASH_MS_GUESSED,
    }),
    reads: createFairQueue({
      runningMax: READS_RUNNING_MAX[driver],
      waitMsMax: READ_WAIT_MS_MAX,
      durationMsGuessed: READ_MS_GUESSED,
      ...(driver === 'sqlite' && { pauseAfter: createLoopShare() }),
    }),
  };
}
