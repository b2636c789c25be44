/**
 * Bounds expensive work: a few jobs at once, a fair queue, and a refusal when the queue is too long. Password
 * hashes and reads that may take long have a queue each. Without it, a flood of either would fill the memory
 * and delay everybody.
 *
 * Sources take turns (round robin), so a source with sixty jobs delays the single job of another source by
 * one job. Known sources together take turns with all others together: an attacker with thousands of
 * addresses cannot crowd out the networks from which users sign in every day. The queue is bounded by the
 * expected waiting time, computed from measured durations. A number of jobs would be no useful bound: forty
 * jobs take three seconds on one machine and twenty on another.
 */
export type QueueOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** The client that the work is for. */
export interface Applicant {
  /** The jobs of one source start in the order in which they came. */
  readonly source: string;
  readonly isKnown: boolean;
  /** False once nobody waits for the result; a job that has not started is dropped then. */
  isWanted(): boolean;
}

export interface FairQueue {
  /**
   * Runs the job: at once if a place is free, otherwise when its turn comes. Rejects if the job rejects. The
   * outcome is `busy` at once if the expected wait is too long. It is `busy` later if the job is dropped, or
   * has waited for a multiple of the limit.
   */
  run<Result>(job: () => Promise<Result>, applicant: Applicant): Promise<QueueOutcome<Result>>;
  readonly measures: QueueMeasures;
}

/** The jobs that wait now, and the number of jobs so far by their ends. */
export interface QueueMeasures {
  readonly waiting: number;
  /** Includes jobs that failed. */
  readonly done: number;
  /** Refused because the wait was, or was expected to be, too long. */
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
  readonly enteredAtMs: number;
  /** @param isStarted - True when the job starts, false when it is dropped. */
  readonly leave: (isStarted: boolean) => void;
}

/** The jobs of each source; the source whose turn is next comes first. */
type Lane = Map<string, WaitingJob[]>;

/** A job that has waited for this many times the limit is dropped. With 30 s, clients give up by then. */
const WAIT_FACTOR_MAX = 2;
/** The weight of the latest job in the mean duration. */
const LATEST_WEIGHT = 0.1;

/** @param now - A monotonic clock in milliseconds. */
export function createFairQueue(
  { runningMax, waitMsMax, durationMsGuessed, pauseAfter = () => undefined }: QueueOptions,
  now: () => number = () => performance.now(),
): FairQueue {
  const lanes = { known: new Map() as Lane, others: new Map() as Lane };
  const measures = { waiting: 0, done: 0, busy: 0, dropped: 0 };
  let nextLane: keyof typeof lanes = 'known';
  let running = 0;
  let meanMs = durationMsGuessed;

  /** @returns How long another job of this applicant would wait. */
  function expectWaitMs({ source, isKnown }: Applicant): number {
    const [own, other] = isKnown ? [lanes.known, lanes.others] : [lanes.others, lanes.known];
    const rounds = (own.get(source)?.length ?? 0) + 1;
    const inLane = countJobs(own, rounds) + 1;
    return (inLane + Math.min(inLane, countJobs(other, Infinity))) * meanMs / runningMax;
  }

  /** @returns False if the job must not start. */
  async function waitForTurn(applicant: Applicant): Promise<boolean> {
    if (expectWaitMs(applicant) > waitMsMax) {
      dropUnwanted();
    }
    if (expectWaitMs(applicant) > waitMsMax) {
      measures.busy += 1;
      return false;
    }
    return enter(applicant);
  }

  function enter({ source, isKnown, isWanted }: Applicant): Promise<boolean> {
    const lane = isKnown ? lanes.known : lanes.others;
    measures.waiting += 1;
    return new Promise((leave) => {
      const jobs = lane.get(source) ?? [];
      jobs.push({ isWanted, enteredAtMs: now(), leave });
      lane.set(source, jobs);
    });
  }

  function startNext(): void {
    const next = nextLane === 'known'
      ? takeNext(lanes.known) ?? takeNext(lanes.others)
      : takeNext(lanes.others) ?? takeNext(lanes.known);
    nextLane = nextLane === 'known' ? 'others' : 'known';
    if (next === undefined) {
      running -= 1;
      if (running === 0) {
        meanMs = durationMsGuessed; // or one slow burst would leave fewer places to the next
      }
    } else {
      measures.waiting -= 1;
      next.leave(true); // starts this job
    }
  }

  function takeNext(lane: Lane): WaitingJob | undefined {
    for (const [source, jobs] of lane) {
      lane.delete(source);
      let next = jobs.shift();
      while (next !== undefined && !isWorthwhile(next)) {
        next = jobs.shift();
      }
      if (jobs.length > 0) {
        lane.set(source, jobs); // behind all other sources
      }
      if (next !== undefined) {
        return next;
      }
    }
    return undefined;
  }

  /**
   * Drops a job if nobody waits for it, or if it has waited too long: later jobs of other sources can delay a
   * job beyond its expected wait. A late refusal is better than an idle timeout.
   *
   * @returns False if the job was dropped.
   */
  function isWorthwhile({ isWanted, enteredAtMs, leave }: WaitingJob): boolean {
    const isInTime = now() - enteredAtMs <= WAIT_FACTOR_MAX * waitMsMax;
    const isKept = isInTime && isWanted();
    if (!isKept) {
      measures[isInTime ? 'dropped' : 'busy'] += 1;
      measures.waiting -= 1;
      leave(false);
    }
    return isKept;
  }

  /** Drops the waiting jobs of clients that have closed their connections. */
  function dropUnwanted(): void {
    for (const lane of Object.values(lanes)) {
      for (const [source, jobs] of lane) {
        const wanted = jobs.filter(isWorthwhile);
        void (wanted.length > 0 ? lane.set(source, wanted) : lane.delete(source));
      }
    }
  }

  /** Gives the place of a job to the next one, after the pause. */
  function leavePlace(startedAtMs: number): void {
    const free = () => {
      meanMs += (now() - startedAtMs - meanMs) * LATEST_WEIGHT; // with the pause, which delays others as well
      startNext();
    };
    const pause = pauseAfter(now() - startedAtMs);
    void (pause === undefined ? free() : pause.then(free));
  }

  return {
    measures,
    async run(job, applicant) {
      if (running < runningMax) {
        running += 1;
      } else if (!(await waitForTurn(applicant))) {
        return { kind: 'busy', retryAfterSeconds: Math.ceil(expectWaitMs(applicant) / 1000) };
      }
      const startedAtMs = now();
      try {
        return { kind: 'done', result: await job() };
      } finally {
        measures.done += 1;
        leavePlace(startedAtMs);
      }
    },
  };
}

/** Counts the jobs in a lane. @param rounds - The most jobs that count for each source. */
function countJobs(lane: Lane, rounds: number): number {
  return [...lane.values()].reduce((sum, { length }) => sum + Math.min(length, rounds), 0);
}
