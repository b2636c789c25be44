/**
 * Bounds expensive work: a few jobs at once, a fair queue, and a refusal when the queue is too long. A
 * password hash takes a thread for about 150 ms. Without a bound, a flood of sign-ins would fill the thread
 * pool and the memory, and delay everybody.
 *
 * Sources take turns (round robin), so a source with sixty jobs delays the single job of another source by
 * one job. Known sources together take turns with all others together: an attacker with thousands of
 * addresses cannot crowd out the networks from which users sign in every day. The queue is bounded by the
 * expected waiting time, computed from measured durations. A number of jobs would be no useful bound: forty
 * jobs take three seconds on one machine and twenty on another.
 */
import { toSite } from './throttle.ts';

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

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** False once the client has closed the connection, or its side of it. */
  readonly isWanted: () => boolean;
}

/** Stands for the program itself, at start-up and in admin commands. */
export const PROGRAM: Applicant = { source: 'program', isKnown: true, isWanted: () => true };

/** @param isKnown - True if the user signed in from this network recently. */
export function toSignIn({ address, isWanted }: Client, isKnown: boolean): Applicant {
  return { source: `sign-in ${toSite(address)}`, isKnown, isWanted };
}

/** New passwords are a source of their own, so registrations do not block sign-ins of the same network. */
export function toNewPassword({ address, isWanted }: Client): Applicant {
  return { source: `new password ${toSite(address)}`, isKnown: false, isWanted };
}

export interface WorkQueue {
  /**
   * Runs the job when its turn comes, and rejects if the job rejects. The outcome is `busy` at once if the
   * expected wait is too long. It is `busy` later if the job is dropped, or has waited for a multiple of the
   * limit.
   */
  run<Result>(job: () => Promise<Result>, applicant: Applicant): Promise<QueueOutcome<Result>>;
}

interface QueueLimits {
  readonly runningMax: number;
  /** A job is accepted only if its expected wait is at most this long. */
  readonly waitMsMax: number;
}

interface WaitingJob {
  readonly isWanted: () => boolean;
  readonly enteredAtMs: number;
  /** @param isStarted - True when the job starts, false when it is dropped. */
  readonly leave: (isStarted: boolean) => void;
}

/** The jobs of each source; the source whose turn is next comes first. */
type Lane = Map<string, WaitingJob[]>;

/** The assumed duration of a job after a pause, until jobs have been measured. */
const DURATION_MS_GUESSED = 150;
/** A job that has waited for this many times the limit is dropped. With 30 s, clients give up by then. */
const WAIT_FACTOR_MAX = 2;
/** The weight of the latest job in the mean duration. */
const LATEST_WEIGHT = 0.1;

/** @param now - A monotonic clock in milliseconds. */
export function createWorkQueue(
  { runningMax, waitMsMax }: QueueLimits,
  now: () => number = () => performance.now(),
): WorkQueue {
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
      if (running === 0) {
        meanMs = DURATION_MS_GUESSED; // or one slow burst would leave fewer places to the next
      }
    } else {
      next.leave(true); // starts this job
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

  /**
   * False if nobody waits for the job, or if it has waited too long: later jobs of other sources can delay a
   * job beyond its expected wait. A late refusal is better than an idle timeout.
   */
  function isWorthwhile({ isWanted, enteredAtMs }: WaitingJob): boolean {
    return isWanted() && now() - enteredAtMs <= WAIT_FACTOR_MAX * waitMsMax;
  }

  /** Drops the waiting jobs of clients that have closed their connections. */
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

/** Counts the jobs in a lane. @param rounds - The most jobs that count for each source. */
function countJobs(lane: Lane, rounds: number): number {
  return [...lane.values()].reduce((sum, { length }) => sum + Math.min(length, rounds), 0);
}

/** Drops the jobs for which the condition is false. @returns The others. */
function keep(jobs: readonly WaitingJob[], condition: (job: WaitingJob) => boolean): WaitingJob[] {
  return jobs.filter((job) => {
    const isKept = condition(job);
    if (!isKept) {
      job.leave(false);
    }
    return isKept;
  });
}
