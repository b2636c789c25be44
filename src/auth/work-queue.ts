/**
 * A bound on expensive work: a few jobs at once, a queue that is fair, and a clear refusal beyond it. Password hashes take a
 * thread each for about 150 ms; unbounded, a flood of sign-ins would fill the thread pool, memory and every waiting time.
 *
 * Sources take turns, so that one with sixty jobs delays the single job of another by one job, not by sixty. Sources that
 * are known take turns with all others together: an attacker with thousands of addresses has thousands of sources, but
 * cannot crowd out those from where people sign in every day. The queue is bounded by the time that a job is expected to
 * wait, as measured, because forty jobs are two seconds of work on one machine and twenty on another.
 */
export type QueueOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** Whose work it is. */
export interface Applicant {
  /** The jobs of one source start in the order in which they came. */
  readonly source: string;
  readonly isKnown: boolean;
  /** False when nobody waits for the result any more; the job is dropped then, unless it has started. */
  isWanted(): boolean;
}

export interface WorkQueue {
  /**
   * Runs the job when its turn comes, or answers `busy`: at once when the wait would be too long, or when its turn comes,
   * if others have delayed it to twice that time. Rejects as the job rejects.
   */
  run<Result>(job: () => Promise<Result>, applicant: Applicant): Promise<QueueOutcome<Result>>;
}

interface QueueLimits {
  readonly runningMax: number;
  /** The longest wait that may be expected of a job. */
  readonly waitMsMax: number;
}

interface WaitingJob {
  readonly isWanted: () => boolean;
  readonly enteredAtMs: number;
  /** @param isStarted - False when it is dropped. */
  readonly leave: (isStarted: boolean) => void;
}

/** The jobs of each source; the source whose turn is next comes first. */
type Lane = Map<string, WaitingJob[]>;

/** Until the first job has been measured. */
const DURATION_MS_GUESSED = 150;
/** How much the latest job counts in the mean duration. */
const LATEST_WEIGHT = 0.1;

/** @param now - In milliseconds, never set back. */
export function createWorkQueue({ runningMax, waitMsMax }: QueueLimits, now: () => number = () => performance.now()): WorkQueue {
  const lanes = { known: new Map() as Lane, others: new Map() as Lane };
  let nextLane: keyof typeof lanes = 'known';
  let running = 0;
  let meanMs = DURATION_MS_GUESSED;

  /** @returns How long another job of this applicant would wait. */
  function expectWaitMs({ source, isKnown }: Applicant): number {
    const [own, other] = isKnown ? [lanes.known, lanes.others] : [lanes.others, lanes.known];
    const rounds = (own.get(source)?.length ?? 0) + 1;
    const inLane = countJobs(own, rounds) + 1;
    return (inLane + Math.min(inLane, countJobs(other, Infinity))) * meanMs / runningMax;
  }

  function enter({ source, isKnown, isWanted }: Applicant): Promise<boolean> {
    const lane = isKnown ? lanes.known : lanes.others;
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
    } else {
      next.leave(true); // hands the place over
    }
  }

  function takeNext(lane: Lane): WaitingJob | undefined {
    for (const [source, jobs] of lane) {
      lane.delete(source);
      const [next, ...others] = keep(jobs, isWorthwhile);
      if (others.length > 0) {
        lane.set(source, others); // behind all other sources
      }
      if (next !== undefined) {
        return next;
      }
    }
    return undefined;
  }

  /** A job that others have delayed for too long has probably been given up, even where nothing says so. */
  function isWorthwhile({ isWanted, enteredAtMs }: WaitingJob): boolean {
    return isWanted() && now() - enteredAtMs <= 2 * waitMsMax;
  }

  /** Clients that have left must not keep others out. */
  function dropUnwanted(): void {
    for (const lane of Object.values(lanes)) {
      for (const [source, jobs] of lane) {
        const wanted = keep(jobs, ({ isWanted }) => isWanted());
        void (wanted.length > 0 ? lane.set(source, wanted) : lane.delete(source));
      }
    }
  }

  return {
    async run(job, applicant) {
      if (running < runningMax) {
        running += 1;
      } else {
        if (expectWaitMs(applicant) > waitMsMax) {
          dropUnwanted();
        }
        const isStarted = expectWaitMs(applicant) <= waitMsMax && (await enter(applicant));
        if (!isStarted) {
          return { kind: 'busy', retryAfterSeconds: Math.ceil(expectWaitMs(applicant) / 1000) };
        }
      }
      const startedAtMs = now();
      try {
        return { kind: 'done', result: await job() };
      } finally {
        meanMs += (now() - startedAtMs - meanMs) * LATEST_WEIGHT;
        startNext();
      }
    },
  };
}

/** @param rounds - As many turns of each source. */
function countJobs(lane: Lane, rounds: number): number {
  return [...lane.values()].reduce((sum, { length }) => sum + Math.min(length, rounds), 0);
}

/** Drops the jobs for which the condition is false. */
function keep(jobs: readonly WaitingJob[], condition: (job: WaitingJob) => boolean): WaitingJob[] {
  return jobs.filter((job) => {
    const isKept = condition(job);
    if (!isKept) {
      job.leave(false);
    }
    return isKept;
  });
}
