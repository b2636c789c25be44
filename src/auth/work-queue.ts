/**
 * A bound on expensive work: a few jobs at once, a short queue, and a clear refusal beyond it. Password hashes take a
 * thread each for about 150 ms; unbounded, a flood of sign-ins would fill the thread pool, memory and every waiting time.
 */
export type QueueOutcome<Result> = { readonly kind: 'done'; readonly result: Result } | { readonly kind: 'busy' };

export interface WorkQueue {
  /**
   * Runs the job when its turn comes, or answers `busy` at once when the queue is full. Rejects as the job rejects.
   *
   * @param placesLeft - As many places to wait must be left to others; for work that must not keep them out.
   */
  run<Result>(job: () => Promise<Result>, placesLeft?: number): Promise<QueueOutcome<Result>>;
}

export function createWorkQueue({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }): WorkQueue {
  const waiting: (() => void)[] = [];
  let running = 0;

  function enter(): Promise<void> | void {
    if (running < runningMax) {
      running += 1;
      return;
    }
    return new Promise((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) {
      running -= 1;
    } else {
      next(); // hands the place over
    }
  }

  return {
    async run(job, placesLeft = 0) {
      if (running >= runningMax && waiting.length >= waitingMax - placesLeft) {
        return { kind: 'busy' };
      }
      await enter();
      try {
        return { kind: 'done', result: await job() };
      } finally {
        leave();
      }
    },
  };
}
