/**
 * Merges the metrics of all workers. A scrape reaches one worker. This worker asks the supervisor, and the
 * supervisor asks all workers (`node:cluster` messages). The sums include the last reported counts of workers
 * that have ended, so that no sum falls. Counts after a worker's last report are lost.
 */
import cluster, { type Worker } from 'node:cluster';
import { mergeMetrics, type Metric } from '../metrics/metrics.ts';

type Metrics = readonly Metric[];

type Message =
  | { readonly kind: 'metrics-wanted'; readonly scrape: number } // worker to supervisor
  | { readonly kind: 'metrics-asked'; readonly round: number } // supervisor to worker
  // From a worker to its supervisor.
  | { readonly kind: 'metrics-told'; readonly round: number; readonly metrics: Metrics }
  // From the supervisor to a worker.
  | { readonly kind: 'metrics-merged'; readonly scrape: number; readonly metrics: Metrics };

/** How long the supervisor waits for a worker. After that, it uses the worker's previous answer. */
const ANSWER_TIMEOUT_MS = 500;

/** @returns A function that collects from all workers, or from this process if it is the only one. */
export function collectFromWorkers(collectOwn: () => Metrics): () => Promise<Metrics> {
  if (!cluster.isWorker) {
    return async () => collectOwn();
  }
  const waiting = new Map<number, (metrics: Metrics) => void>();
  let scrape = 0;
  process.on('message', (message: Message) => {
    if (message.kind === 'metrics-asked') {
      send({ kind: 'metrics-told', round: message.round, metrics: collectOwn() });
    } else if (message.kind === 'metrics-merged') {
      waiting.get(message.scrape)?.(message.metrics);
      waiting.delete(message.scrape);
    }
  });
  return () => new Promise((resolve) => {
    scrape += 1;
    waiting.set(scrape, resolve);
    send({ kind: 'metrics-wanted', scrape });
  });
}

function send(message: Message): void {
  process.send?.(message);
}

/** Runs in the supervisor: asks all workers when one of them is scraped. */
export function serveWorkerMetrics(): void {
  const latest = new Map<Worker, Metrics>();
  const rounds = new Map<number, () => void>();
  let departed: Metrics = [];
  let lastRound = 0;

  function ask(asker: Worker, scrape: number): void {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true);
    lastRound += 1;
    const round = lastRound;
    let missing = workers.length;
    const finish = () => {
      clearTimeout(timer);
      rounds.delete(round);
      if (asker.isConnected()) {
        asker.send(
          {
            kind: 'metrics-merged', scrape, metrics: mergeMetrics([departed, ...latest.values()]),
          } satisfies Message,
        );
      }
    };
    const timer = setTimeout(finish, ANSWER_TIMEOUT_MS);
    rounds.set(round, () => {
      missing -= 1;
      if (missing === 0) {
        finish();
      }
    });
    workers.forEach((worker) => worker?.send({ kind: 'metrics-asked', round } satisfies Message));
  }

  cluster.on('message', (worker, message: Message) => {
    if (message.kind === 'metrics-wanted') {
      ask(worker, message.scrape);
    } else if (message.kind === 'metrics-told') {
      latest.set(worker, message.metrics);
      rounds.get(message.round)?.();
    }
  });
  cluster.on('exit', (worker) => {
    departed = mergeMetrics([departed, (latest.get(worker) ?? []).filter(({ type }) => type !== 'gauge')]);
    latest.delete(worker);
  });
}
