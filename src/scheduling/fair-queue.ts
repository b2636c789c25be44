/**
 * Bounds expensive work: a few jobs at once, round robin over the clients that wait, nothing for clients that
 * have left, and a refusal when the wait would be too long. Password hashes and reads that may take long have
 * a queue each.
 *
 * A client with sixty jobs delays the single job of another client by one job. Known clients together take
 * turns with all others together: an attacker with thousands of addresses cannot crowd out the users who sign
 * in every day. The bound is the expected wait, computed from measured durations, because forty jobs take
 * three seconds on one machine and twenty on another.
 */

/** `busy`: refused at once because the expected wait is too long, or dropped later. */
export type QueueOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** The client that the work is for. */
export interface QueueClient {
  /** The jobs of one client start in the order in which they came. */
  readonly name: string;
  readonly isKnown: boolean;
  /** False once nobody waits for the result; a job that has not started is dropped then. */
  readonly isWanted: () => boolean;
}

export type FairQueue = ReturnType<typeof createFairQueue>;

/** The jobs that wait now, and the jobs so far: ended, refused, or dropped because their client had gone. */
export type QueueMeasures = Readonly<Record<'waiting' | 'done' | 'busy' | 'dropped', number>>;

interface QueueOptions {
  readonly runningMax: number;
  readonly waitMsMax: number;
  /** The assumed duration of a job after a pause, until jobs have been measured. */
  readonly durationMsGuessed: number;
  /** Called with the duration of a job that has ended. Its place stays taken until the promise resolves. */
  readonly pauseAfter?: (durationMs: number) => Promise<void> | undefined;
}

interface WaitingJob {
  readonly isWanted: () => boolean;
  /** @param isStarted - False when the job is dropped. */
  readonly leave: (isStarted: boolean) => void;
}

/** The waiting jobs of each client; the client whose turn is next comes first. */
type Lane = Map<string, WaitingJob[]>;

/** The weight of the latest job in the mean duration. */
const LATEST_WEIGHT = 0.1;

export function createFairQueue(
  { runningMax, waitMsMax, durationMsGuessed, pauseAfter = () => undefined }: QueueOptions,
) {
  const known: Lane = new Map();
  const others: Lane = new Map();
  /** The lane whose turn is next comes first. */
  const lanes: [Lane, Lane] = [known, others];
  const measures = { waiting: 0, done: 0, busy: 0, dropped: 0 };
  let running = 0;
  let meanMs = durationMsGuessed;

  /** @returns How long another job of this client would wait. */
  function expectWaitMs({ name, isKnown }: QueueClient): number {
    const [own, other] = isKnown ? [known, others] : [others, known];
    const rounds = (own.get(name)?.length ?? 0) + 1;
    const untilOwn = countJobs(own, rounds) + 1;
    return (untilOwn + Math.min(untilOwn, countJobs(other, Infinity))) * meanMs / runningMax;
  }

  function waitForTurn({ name, isKnown, isWanted }: QueueClient): Promise<boolean> {
    const lane = isKnown ? known : others;
    const jobs = lane.get(name) ?? [];
    lane.set(name, jobs);
    measures.waiting += 1;
    return new Promise((leave) => jobs.push({ isWanted, leave }));
  }

  function takeNext(lane: Lane): WaitingJob | undefined {
    for (const [name, jobs] of lane) {
      lane.delete(name);
      const [next, ...later] = jobs.filter(isKept);
      void (later.length > 0 && lane.set(name, later)); // behind all other clients
      if (next !== undefined) {
        return next;
      }
    }
    return undefined;
  }

  /** Drops the job of a client that has gone, which would take the place of others. */
  function isKept({ isWanted, leave }: WaitingJob): boolean {
    if (isWanted()) {
      return true;
    }
    measures.dropped += 1;
    measures.waiting -= 1;
    leave(false);
    return false;
  }

  /** Gives a place that has become free to the next job. */
  function startNext(): void {
    const next = takeNext(lanes[0]) ?? takeNext(lanes[1]);
    lanes.reverse();
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

  async function runNow<Result>(job: () => Promise<Result>): Promise<QueueOutcome<Result>> {
    const startedAtMs = performance.now();
    try {
      return { kind: 'done', result: await job() };
    } finally {
      measures.done += 1;
      const free = () => {
        meanMs += (performance.now() - startedAtMs - meanMs) * LATEST_WEIGHT; // the pause delays others, too
        startNext();
      };
      const pause = pauseAfter(performance.now() - startedAtMs);
      void (pause === undefined ? free() : pause.then(free));
    }
  }

  return {
    measures: measures satisfies QueueMeasures,
    /** Runs the job at once if a place is free, otherwise when its turn comes. Rejects if the job rejects. */
    async run<Result>(job: () => Promise<Result>, client: QueueClient): Promise<QueueOutcome<Result>> {
      if (running < runningMax) {
        running += 1;
        return runNow(job);
      }
      if (expectWaitMs(client) > waitMsMax) {
        lanes.forEach((lane) => lane.forEach((jobs, name) => lane.set(name, jobs.filter(isKept))));
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
function countJobs(lane: Lane, rounds: number): number {
  return [...lane.values()].reduce((sum, { length }) => sum + Math.min(length, rounds), 0);
}
