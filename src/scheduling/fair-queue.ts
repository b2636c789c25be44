/**
 * Limits expensive work: few jobs run at the same time, clients take turns, and a job is refused if its
 * expected wait is too long. A job takes seven times as long on a slow machine as on a fast machine, so the
 * queue measures durations.
 *
 * Each client belongs to nested groups. For example, the group of all sign-ins contains a group for each
 * network, and each network contains a group for each username. At each level, the groups take turns: after a
 * turn, a group waits behind all other groups. Groups without an earlier turn go first: two turns go to the
 * newest groups, then two turns to the oldest. So a client with one job does not wait for a hundred jobs of
 * another client. If many new clients arrive, the newest and the oldest of these clients soon get a turn.
 *
 * Some jobs run on the event loop. While other events wait, these jobs use at most half of the time. In each
 * iteration of the event loop, Node.js accepts only one connection. With long iterations, new clients would
 * wait for minutes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export type QueueOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

export interface QueueClient {
  /** The client's groups, the outermost first. Jobs with the same groups start in order of arrival. */
  readonly groups: readonly string[];
  /** Returns false if the client has disconnected. The queue then drops the client's job. */
  readonly isWanted: () => boolean;
}

export type FairQueue = ReturnType<typeof createFairQueue>;

interface QueueOptions {
  readonly runningMax: number;
  /** The maximum expected wait of a job. If newer jobs run first, a job can wait for twice this time. */
  readonly waitMsMax: number;
  /** The assumed duration of a job, used until the queue has measured some jobs. */
  readonly durationMsGuessed: number;
  /** True if jobs run on the event loop. The pause after a job counts as part of the job. */
  readonly sharesLoop?: boolean;
}

interface WaitingJob extends QueueClient {
  readonly expiresAtMs: number;
  readonly settle: (isStarted: boolean) => void;
}

export function createFairQueue({ runningMax, waitMsMax, durationMsGuessed, sharesLoop }: QueueOptions) {
  const waiting = new Set<WaitingJob>(); // in the order of arrival
  const latestTurns = new Map<string, number>();
  const measures = { get waiting() { return waiting.size; }, done: 0, busy: 0, dropped: 0 };
  const shareLoop = sharesLoop === true ? createLoopShare() : undefined;
  let turns = 0;
  let running = 0;
  let meanMs = durationMsGuessed; // a moving average, in which the latest duration has the weight 0.1

  function startNext(): void {
    const next = running < runningMax ? findNext() : undefined;
    if (next !== undefined) {
      waiting.delete(next);
      running += 1;
      turns += 1;
      if (latestTurns.size > 1_000) {
        latestTurns.clear(); // a group name takes up to 16 KB, so 1,000 names take up to 16 MB
      }
      next.groups.forEach((group) => latestTurns.set(group, turns));
      next.settle(true);
    } else if (running === 0) {
      meanMs = durationMsGuessed; // after a burst of slow jobs, the queue must not refuse fast jobs
      latestTurns.clear();
    }
  }

  function findNext(): WaitingJob | undefined {
    let jobs = [...waiting];
    for (let level = 0; jobs[0]?.groups[level] !== undefined; level += 1) {
      const turnOf = ({ groups }: WaitingJob) => latestTurns.get(groups[level] ?? '') ?? 0;
      // The order of jobs changes after every two turns. If the order changed after every turn, and two
      // networks took alternate turns, each network would always get the same order.
      const ordered = (turns & 2) === 0 ? jobs.toReversed() : jobs;
      const next = ordered.reduce((first, job) => (turnOf(job) < turnOf(first) ? job : first));
      jobs = jobs.filter(({ groups }) => groups[level] === next.groups[level]);
    }
    return jobs[0];
  }

  /** Counts the turns until a new job with `groups` starts. Assumes that no other job arrives. */
  function countTurns(jobs: readonly WaitingJob[], groups: readonly string[], level = 0): number {
    const group = groups[level];
    if (group === undefined) {
      return jobs.length + 1;
    }
    const subgroups = Map.groupBy(jobs, (job) => job.groups[level]);
    const ownTurns = countTurns(subgroups.get(group) ?? [], groups, level + 1);
    const isFirst = !subgroups.delete(group) && !latestTurns.has(group);
    const others = isFirst ? [] : [...subgroups.values()];
    return others.reduce((sum, { length }) => sum + Math.min(length, ownTurns), ownTurns);
  }

  function dropJobs(): void {
    const nowMs = performance.now();
    for (const job of waiting) {
      if (!job.isWanted() || nowMs > job.expiresAtMs) {
        waiting.delete(job);
        job.settle(false);
      }
    }
  }

  async function end(startedAtMs: number): Promise<void> {
    measures.done += 1;
    await shareLoop?.(performance.now() - startedAtMs);
    // A duration includes the pause after the job, because the next job waits until the pause ends.
    meanMs += (performance.now() - startedAtMs - meanMs) * 0.1;
    running -= 1;
    dropJobs();
    startNext();
  }

  return {
    measures: measures as Readonly<typeof measures>,
    async run<Result>(job: () => Promise<Result>, client: QueueClient): Promise<QueueOutcome<Result>> {
      dropJobs();
      const hasPlace = running < runningMax;
      const waitMs = hasPlace ? 0 : countTurns([...waiting], client.groups) * meanMs / runningMax;
      const isStarted = waitMs <= waitMsMax && await new Promise<boolean>((settle) => {
        waiting.add({ ...client, expiresAtMs: performance.now() + 2 * waitMsMax, settle });
        startNext();
      });
      if (!isStarted) {
        measures[client.isWanted() ? 'busy' : 'dropped'] += 1;
        return { kind: 'busy', retryAfterSeconds: Math.ceil(waitMs / 1000) };
      }
      const startedAtMs = performance.now();
      try {
        return { kind: 'done', result: await job() };
      } finally {
        void end(startedAtMs); // the caller gets the result before the pause
      }
    },
  };
}

/**
 * @returns A function that pauses after work, so that other events can run. A pause lasts at most as long as
 * the work since the previous pause.
 */
export function createLoopShare(): (workedMs: number) => Promise<void> {
  let sincePauseMs = 0;
  return async (workedMs) => {
    sincePauseMs += workedMs;
    if (sincePauseMs >= 1) { // a pause after each short read would raise the CPU time of reads by a third
      const untilMs = performance.now() + sincePauseMs;
      sincePauseMs = 0;
      let seen: number;
      await nextTurn(); // waits for the rest of this iteration of the event loop
      do {
        seen = performance.nodeTiming.uvMetricsInfo.events; // events of connections, files and threads
        await nextTurn();
      } while (performance.nodeTiming.uvMetricsInfo.events > seen && performance.now() < untilMs);
    }
  };
}
