/** Measures a workload on the service and on a bare server that answers the same bytes, in turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, startLoad, type Answer, type PreparedRequest } from './http.ts';
import { readCpuSeconds, readPeakMemoryMib, type BareServer, type RunningServer } from './processes.ts';
import type { Workload, WorkloadName } from './workloads.ts';

interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The user and system time of the server for one request. */
  readonly cpuMicroseconds: number;
}

interface Pair {
  readonly service: Measurement;
  readonly bare: Measurement | undefined;
}

export interface WorkloadResult {
  readonly name: WorkloadName;
  readonly title: string;
  readonly answerBytes: number;
  readonly service: Measurement;
  /** Absent for a mix, which has no single answer. */
  readonly bare: Measurement | undefined;
  /** The figure of the service divided by the figure of the bare server: the median over pairs of rounds. */
  readonly ratios: { readonly requestsPerSecond: number; readonly cpu: number } | undefined;
  /** The peak memory of the service since its start. */
  readonly peakMemoryMib: number;
  readonly rounds: readonly Pair[];
}

interface Comparison {
  readonly name: WorkloadName;
  readonly workload: Workload;
  readonly service: RunningServer;
  /** Absent to measure the service alone. */
  readonly bare: BareServer | undefined;
  readonly roundCount: number;
  readonly seconds: number;
  readonly connectionCount: number;
}

const WARM_UP_MS = 200;

/** The fewest answers of a round. A slow workload extends its rounds, so that it has a median too. */
const ANSWERS_MIN = 10;
const EXTENSION_MS = 100;
const EXTENSIONS_MAX = 600;

/** The most characters of a wrong answer that are shown. */
const SHOWN_LENGTH_MAX = 500;

/** @throws When an answer is wrong or a connection is lost. */
export async function measureWorkload(comparison: Comparison): Promise<WorkloadResult> {
  const { name, workload, service, roundCount } = comparison;
  const request = workload.next();
  const answer = await exchange(service.port, request);
  if (answer.status !== request.status || !workload.isPlausible(answer)) {
    throw new Error(`The answer to workload "${name}" is wrong: ${toText(answer)}`);
  }
  const bare = workload.isMix ? undefined : comparison.bare;
  if (bare !== undefined) {
    await bare.answerWith(answer);
    assertSame(answer, await exchange(bare.port, request));
  }
  const rounds: Pair[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    rounds.push({
      service: await runRound(service, comparison),
      bare: bare && (await runRound(bare, comparison)),
    });
  }
  return {
    name,
    title: workload.title,
    answerBytes: answer.body.length,
    service: toMedians(rounds.map((pair) => pair.service)),
    bare: bare && toMedians(rounds.flatMap((pair) => pair.bare ?? [])),
    ratios: bare && {
      requestsPerSecond: toRatio(rounds, 'requestsPerSecond'),
      cpu: toRatio(rounds, 'cpuMicroseconds'),
    },
    peakMemoryMib: readPeakMemoryMib(service.groupId),
    rounds,
  };
}

/**
 * Checks that two answers are the same. They may differ only in the time of day, and in the order of fields:
 * Node.js adds its own fields at the end.
 */
function assertSame(expected: Answer, actual: Answer): void {
  const [left, right] = [expected, actual].map(({ status, headers, body }) => {
    const fields = headers.filter(([name]) => name.toLowerCase() !== 'date').map((pair) => pair.join(': '));
    return `${status}\n${fields.sort().join('\n')}\n${body.toString('latin1')}`;
  });
  if (left !== right) {
    throw new Error(`The bare server answers other bytes: ${toText(actual)}\ninstead of ${toText(expected)}`);
  }
}

function toText({ status, headers, body }: Answer): string {
  const fields = headers.map((pair) => `${pair.join(': ')}\n`).join('');
  return `${status}\n${fields}\n${body.toString().slice(0, SHOWN_LENGTH_MAX)}`;
}

async function runRound({ port, groupId }: RunningServer, comparison: Comparison): Promise<Measurement> {
  const { next, connectionCountMax = Infinity } = comparison.workload;
  const connectionCount = Math.min(comparison.connectionCount, connectionCountMax);
  const { cpuMicroseconds: [cpuMicroseconds = NaN], ...figures } = await measureLoad({
    ports: [port],
    connectionCount,
    next,
    seconds: comparison.seconds,
    cpuMeters: [() => readCpuSeconds(groupId)],
  });
  return { ...figures, cpuMicroseconds };
}

interface LoadParts {
  readonly ports: readonly number[];
  /** The connections to each port. */
  readonly connectionCount: number;
  readonly next: () => PreparedRequest;
  readonly seconds: number;
  /** Each reads the processor time of some processes, in seconds. */
  readonly cpuMeters: readonly (() => number)[];
}

export type LoadFigures = Omit<Measurement, 'cpuMicroseconds'> & {
  /** For one request, in the order of the meters. */
  readonly cpuMicroseconds: readonly number[];
};

/** Puts a load on servers for some time. */
export async function measureLoad(parts: LoadParts): Promise<LoadFigures> {
  const { ports, connectionCount, next, seconds, cpuMeters } = parts;
  let latenciesMs: number[] = [];
  const onAnswer = (latencyMs: number) => latenciesMs.push(latencyMs);
  const loads = ports.map((port) => startLoad({ port, connectionCount, next, onAnswer }));
  const failures = loads.map(({ failed }) => failed);
  const pass = (durationMs: number) => Promise.race([sleep(durationMs), ...failures]);
  try {
    await pass(WARM_UP_MS);
    const cpuSecondsBefore = cpuMeters.map((read) => read());
    const startedAtMs = performance.now();
    latenciesMs = []; // as many requests are in flight now as at the end
    await pass(seconds * 1000);
    for (let count = 0; latenciesMs.length < ANSWERS_MIN && count < EXTENSIONS_MAX; count += 1) {
      await pass(EXTENSION_MS);
    }
    const elapsedMs = performance.now() - startedAtMs;
    const cpuSeconds = cpuMeters.map((read, index) => read() - (cpuSecondsBefore[index] ?? NaN));
    const sorted = latenciesMs.toSorted((left, right) => left - right);
    return {
      requestsPerSecond: (sorted.length / elapsedMs) * 1000,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      cpuMicroseconds: cpuSeconds.map((used) => (used / sorted.length) * 1e6),
    };
  } finally {
    loads.forEach((load) => load.stop());
  }
}

function toMedians(measurements: readonly Measurement[]): Measurement {
  const medianOf = (field: keyof Measurement) => median(measurements.map((one) => one[field]));
  return {
    requestsPerSecond: medianOf('requestsPerSecond'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    cpuMicroseconds: medianOf('cpuMicroseconds'),
  };
}

function toRatio(rounds: readonly Pair[], field: keyof Measurement): number {
  return median(rounds.map(({ service, bare }) => service[field] / (bare?.[field] ?? NaN)));
}

/**
 * Finds the smallest number that is not exceeded by at least the given share of all numbers (nearest rank).
 *
 * @param sorted - In ascending order.
 * @param share - Above 0, at most 1.
 * @returns NaN when there are no numbers.
 */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(sorted.length * share), 1) - 1] ?? NaN;
}

/** Finds the middle number, or the mean of the middle two. @returns NaN when there are no numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}
