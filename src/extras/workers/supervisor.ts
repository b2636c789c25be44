/**
 * Uses all cores with several processes that serve on one port and one database file (`node:cluster`). Each
 * worker runs the same program as a single process would. The supervisor serves nothing: it starts workers,
 * replaces crashed ones, writes their log, and ends all of them in order.
 */
import cluster, { type Worker } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { EXIT_FAILURE, EXIT_OK } from '../../runtime.ts';
import type { Log } from '../../telemetry/log.ts';

/** Tells a worker to end. */
export const END_MESSAGE = 'end';

/** The shortest time between a crash of a worker and its restart. */
const RESTART_INTERVAL_MS = 1_000;

interface Supervision {
  readonly log: Log;
  /** Takes each line that a worker writes to its standard output. */
  readonly relay: (line: string) => void;
  /** Resolves with the reason when this process is asked to end. */
  readonly endRequested: Promise<string>;
  /** Called once with the address, when all workers listen. */
  readonly onListening: (address: Pick<AddressInfo, 'address' | 'port'>) => void;
  /** Ends this process. The code is 1 when a worker could not start; the worker itself has said why. */
  readonly exit: (code: number) => void;
}

/** Starts the workers and runs until a signal ends them. */
export function superviseWorkers(
  count: number,
  { log, relay, endRequested, onListening, exit }: Supervision,
): void {
  // Workers accept connections themselves, from one socket. If the supervisor handed connections out, each
  // would cost a hop, and those on their way to a crashed worker would hang. With a socket for each worker
  // (`reusePort`), the system resets the connections that wait in the queue of a worker that ends.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ stdio: ['inherit', 'pipe', 'inherit', 'ipc'] });
  let exitCode = EXIT_OK;
  let isEnding = false;
  let listeningCount = 0;
  const listened = new WeakSet<Worker>();

  function end(reason: string): void {
    isEnding = true;
    log('info', 'ending workers', { reason });
    workers().forEach((worker) => worker.send(END_MESSAGE));
    exitWithoutWorkers();
  }

  function exitWithoutWorkers(): void {
    if (workers().length === 0) {
      exit(exitCode);
    }
  }

  /**
   * Starts the other workers after the first. So an obstacle to the start is reported only once, and only one
   * worker creates the schema.
   */
  function onWorkerListening(worker: Worker, address: Pick<AddressInfo, 'address' | 'port'>): void {
    listened.add(worker);
    listeningCount += 1;
    if (listeningCount === 1) {
      Array.from({ length: count - 1 }, startWorker);
    }
    if (listeningCount === count) {
      onListening(address);
    }
  }

  function onExit(worker: Worker, code: number | null): void {
    if (!isEnding && !listened.has(worker)) {
      exitCode = EXIT_FAILURE;
      end('a worker cannot start'); // another worker would fail for the same reason
    } else if (!isEnding) {
      const { id, process } = worker;
      log('error', 'worker crashed', { worker: id, pid: process.pid, exit_code: code ?? undefined });
      setTimeout(startWorker, RESTART_INTERVAL_MS);
    } else {
      exitWithoutWorkers();
    }
  }

  function startWorker(): void {
    if (isEnding) {
      return;
    }
    const worker = cluster.fork();
    log('debug', 'worker started', { worker: worker.id, pid: worker.process.pid });
    if (worker.process.stdout !== null) {
      createInterface({ input: worker.process.stdout }).on('line', relay);
    }
    worker.process.on('close', (code) => onExit(worker, code)); // `close` follows its last lines
  }

  cluster.on('listening', onWorkerListening);
  void endRequested.then(end);
  startWorker();
}

function workers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
