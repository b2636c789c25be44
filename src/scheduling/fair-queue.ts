/**
 * Bounds expensive work: a few jobs at once, round robin over the clients that wait, and a refusal when the
 * wait would be too long. Password hashes and reads that may take long have a queue each.
 *
 * A client with sixty jobs delays the single job of another client by one job. Known clients together take
 * turns with all others together: an attacker with thousands of addresses cannot crowd out the users who sign
 * in every day. The bound is the expected wait, computed from measured durations, because forty jobs take
 * three seconds on one machine and twenty on another.
 */
export type QueueOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** The client that the work is for. */
export interface QueueClient {
  /** The jobs of one client start in the order in which they came. */
  readonly name: string;
  readonly isKnown: boolean;
  /** False once nobody waits for the result; a job that has not started is dropped then. */
  isWanted(): boolean;
}

export interface FairQueue {
  /**
   * Runs the job: at once if a place is free, otherwise when its turn comes. Rejects if the job rejects. The
   * outcome is `busy` at once if the expected wait is too long, and later if the job is dropped.
   */
  run<Result>(job: () => Promise<Result>, client: QueueClient): Promise<QueueOutcome<Result>>;
  readonly measures: QueueMeasures;
}

/** The jobs that wait now, and the number of jobs so far by their ends. */
export interface QueueMeasures {
  readonly waiting: number;
  /** Includes jobs that failed. */
  readonly done: number;
  /** Refused because the expected wait was too long. */
  readonly busy: number;
  /** Dropped because the client had gone. */
  readonly dropped: number;
}

interface QueueOptions {
  readonly runningMax: number;
  /** A job is accepted only if its expected wait is at most this long. */
  readonly waitMsMax: number;
  /** The assumed duration of a job after a pause, until jobs have been measured. */
  readonly durationMsGuessed: number;
  /**
   * Called with the duration of each job that has ended. While the returned promise is pending, the place of
   * the job stays taken. `undefined` frees it at once.
   */
  readonly pauseAfter?: (durationMs: number) => Promise<void> | undefined;
}

interface WaitingJob {
  readonly isWanted: () => boolean;
  /** @param isStarted - True when the job starts, false when it is dropped. */
  readonly leave: (isStarted: boolean) => void;
}

/** The waiting jobs of each client; the client whose turn is next comes first. */
type Waiting = Map<string, WaitingJob[]>;

/** The weight of the latest job in the mean duration. */
const LATEST_WEIGHT = 0.1;

/** @param now - A monotonic clock in milliseconds. */
export function createFairQueue(
  { runningMax, waitMsMax, durationMsGuessed, pauseAfter = () => undefined }: QueueOptions,
  now: () => number = () => performance.now(),
): FairQueue {
  const known: Waiting = new Map();
  const others: Waiting = new Map();
  const measures = { waiting: 0, done: 0, busy: 0, dropped: 0 };
  let isTurnOfKnown = true;
  let running = 0;
  let meanMs = durationMsGuessed;

  /** @returns How long another job of this client would wait. */
  function expectWaitMs({ name, isKnown }: QueueClient): number {
    const [own, other] = isKnown ? [known, others] : [others, known];
    const rounds = (own.get(name)?.length ?? 0) + 1;
    const untilOwn = countJobs(own, rounds) + 1;
    return (untilOwn + Math.min(untilOwn, countJobs(other, Infinity))) * meanMs / runningMax;
  }

  /** @returns True when it is the turn of the job, false when the job is dropped. */
  function waitForTurn({ name, isKnown, isWanted }: QueueClient): Promise<boolean> {
    const waiting = isKnown ? known : others;
    measures.waiting += 1;
    return new Promise((leave) => {
      const jobs = waiting.get(name) ?? [];
      jobs.push({ isWanted, leave });
      waiting.set(name, jobs);
    });
  }

  /** Gives a place that has become free to the next job. */
  function startNext(): void {
    const [first, second] = isTurnOfKnown ? [known, others] : [others, known];
    isTurnOfKnown = !isTurnOfKnown;
    const next = takeNext(first) ?? takeNext(second);
    if (next !== undefined) {
      measures.waiting -= 1;
      next.leave(true);
      return;
    }
    running -= 1;
    if (running === 0) {
      meanMs = durationMsGuessed; // or one slow burst would leave fewer places to the next
    }
  }

  function takeNext(waiting: Waiting): WaitingJob | undefined {
    for (const [name, jobs] of waiting) {
      waiting.delete(name);
      const [next, ...later] = keepWanted(jobs);
      if (later.length > 0) {
        waiting.set(name, later); // behind all other clients
      }
      if (next !== undefined) {
        return next;
      }
    }
    return undefined;
  }

  /** Drops the jobs of clients that have gone, which would take the places of others. */
  function dropUnwanted(): void {
    for (const waiting of [known, others]) {
      for (const [name, jobs] of waiting) {
        const wanted = keepWanted(jobs);
        void (wanted.length > 0 ? waiting.set(name, wanted) : waiting.delete(name));
      }
    }
  }

  function keepWanted(jobs: readonly WaitingJob[]): WaitingJob[] {
    return jobs.filter(({ isWanted, leave }) => {
      if (isWanted()) {
        return true;
      }
      measures.dropped += 1;
      measures.waiting -= 1;
      leave(false);
      return false;
    });
  }

  async function runNow<Result>(job: () => Promise<Result>): Promise<QueueOutcome<Result>> {
    const startedAtMs = now();
    try {
      return { kind: 'done', result: await job() };
    } finally {
      measures.done += 1;
      const free = () => {
        meanMs += (now() - startedAtMs - meanMs) * LATEST_WEIGHT; // with the pause, which delays others, too
        startNext();
      };
      const pause = pauseAfter(now() - startedAtMs);
      void (pause === undefined ? free() : pause.then(free));
    }
  }

  return {
    measures,
    async run(job, client) {
      if (running < runningMax) {
        running += 1;
        return runNow(job);
      }
      if (expectWaitMs(client) > waitMsMax) {
        dropUnwanted();
      }
      const waitMs = expectWaitMs(client);
      if (waitMs > waitMsMax) {
        measures.busy += 1;
      } else if (await waitForTurn(client)) {
        return runNow(job);
      }
      return { kind: 'busy', retryAfterSeconds: Math.ceil(waitMs / 1000) };
    },
  };
}

/** Counts waiting jobs. @param rounds - The most jobs that count for each client. */
function countJobs(waiting: Waiting, rounds: number): number {
  return [...waiting.values()].reduce((sum, { length }) => sum + Math.min(length, rounds), 0);
}
