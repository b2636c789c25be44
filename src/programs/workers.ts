/**
 * All cores: several processes that serve on one port and one database file (`node:cluster`). Each is the
 * same program as a single one; the tables and the first administrator are safe to be made by all of them at
 * once. This process serves nothing: it starts workers, replaces one that crashed, and ends all of them in
 * order.
 */
import cluster, { type Worker } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import { EXIT_FAILURE, EXIT_OK } from './exit-codes.ts';
import { END_MESSAGE } from './life-cycle.ts';

/** A worker that crashes again and again is not started more often than this. */
const RESTART_INTERVAL_MS = 1_000;

/**
 * Starts the workers and runs until a signal ends them.
 *
 * @param onListening - Told the address once, when the first of them listens.
 * @param exit - Ends this process, with 1 when a worker could not start, as its own message says.
 */
export function superviseWorkers(
  count: number,
  { log, onListening, exit }: { log: Log; onListening: (address: Pick<AddressInfo, 'address' | 'port'>) => void; exit: (code: number) => void },
): void {
  // Workers accept connections themselves. Handing them out here would cost a hop for each, and leave those hanging that
  // were on their way to a worker that crashed.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let exitCode = EXIT_OK;
  let isEnding = false;

  function end(signal: NodeJS.Signals): void {
    if (isEnding) {
      exit(EXIT_FAILURE); // a second signal does not wait
    }
    isEnding = true;
    log('info', 'ending workers', { signal });
    workers().forEach((worker) => worker.send(END_MESSAGE));
    exitWithoutWorkers();
  }

  function exitWithoutWorkers(): void {
    if (workers().length === 0) {
      exit(exitCode);
    }
  }

  function onExit(worker: Worker, code: number): void {
    if (!isEnding && !listened.has(worker)) {
      exitCode = EXIT_FAILURE;
      end('SIGTERM'); // what keeps one from starting keeps the next one too
    } else if (!isEnding) {
      log('error', 'worker crashed', { pid: worker.process.pid, exit_code: code });
      setTimeout(startWorker, RESTART_INTERVAL_MS);
    }
    if (isEnding) {
      exitWithoutWorkers();
    }
  }

  function startWorker(): void {
    if (!isEnding) {
      cluster.fork();
    }
  }

  const listened = new WeakSet<Worker>();
  cluster.once('listening', (_worker, address) => onListening(address));
  cluster.on('listening', (worker) => listened.add(worker));
  cluster.on('exit', onExit);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  Array.from({ length: count }, startWorker);
}

/** Passes SIGHUP on, for which a supervisor has no use itself: see certificates.ts. A process without workers does nothing. */
export function forwardHangUp(): void {
  workers().forEach((worker) => worker.process.kill('SIGHUP'));
}

function workers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
