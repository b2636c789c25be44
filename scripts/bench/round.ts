/** One round: a load on one server for some time, and what it took. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from './load.ts';
import { readCpuSeconds } from './process-group.ts';
import type { PreparedRequest } from './request.ts';
import type { RunningServer } from './servers.ts';
import { percentile } from './statistics.ts';

export interface RoundOptions {
  readonly seconds: number;
  readonly connectionCount: number;
}

export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** User and system time of the server for one request. */
  readonly cpuMicroseconds: number;
}

const WARM_UP_MS = 200;

/** A round goes on until it has this many answers, so that slow workloads have a median too. */
const ANSWERS_MIN = 10;
const EXTENSION_MS = 100;
const EXTENSIONS_MAX = 600;

/** @throws When an answer is wrong or a connection is lost. */
export async function runRound(server: RunningServer, next: () => PreparedRequest, options: RoundOptions): Promise<Measurement> {
  let latenciesMs: number[] = [];
  const { connectionCount } = options;
  const load = startLoad({ port: server.port, connectionCount, next, onAnswer: (latencyMs) => latenciesMs.push(latencyMs) });
  const pass = (durationMs: number) => Promise.race([sleep(durationMs), load.failed]);
  try {
    await pass(WARM_UP_MS);
    const cpuSecondsBefore = readCpuSeconds(server.groupId);
    const startedAtMs = performance.now();
    latenciesMs = []; // of requests on the way, as many at the end as at the beginning, it counts those that end within
    await pass(options.seconds * 1000);
    for (let extensions = 0; latenciesMs.length < ANSWERS_MIN && extensions < EXTENSIONS_MAX; extensions += 1) {
      await pass(EXTENSION_MS);
    }
    const elapsedMs = performance.now() - startedAtMs;
    return toMeasurement(latenciesMs, elapsedMs, readCpuSeconds(server.groupId) - cpuSecondsBefore);
  } finally {
    load.stop();
  }
}

function toMeasurement(latenciesMs: readonly number[], elapsedMs: number, cpuSeconds: number): Measurement {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  return {
    requestsPerSecond: (sorted.length / elapsedMs) * 1000,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMicroseconds: (cpuSeconds / sorted.length) * 1e6,
  };
}
