/** Measures the rate of responses, the processor time per response, and the peak memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../test/support/http-client.ts';
import { startLoad } from './http.ts';
import type { MeasuredService } from './service.ts';
import type { Workload, WorkloadName } from './workloads.ts';

type Figures = Readonly<Record<'rate' | 'cpuUs' | 'leaderUs', number>>;

export interface Result {
  readonly name: WorkloadName;
  readonly figures: Figures;
  readonly peakMib: number;
}

interface Parts {
  readonly name: WorkloadName;
  readonly workload: Workload;
  readonly service: MeasuredService;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

const WARM_UP_MS = 200;
/** A round lasts until this number of responses, or more, have arrived. */
const ANSWERS_MIN = 10;
const EXTENSION_MS = 100;

/** @throws Error if a response is wrong or a connection is lost. */
export async function measureWorkload(parts: Parts): Promise<Result> {
  const { name, workload, service, rounds } = parts;
  const { line, options, status } = workload.next();
  const answer = await call(service.port, line, options);
  if (answer.status !== status || !workload.isPlausible(answer)) {
    throw new Error(`The response to "${line}" is wrong: ${answer.status} ${answer.text.slice(0, 500)}`);
  }
  const figures: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    figures.push(await runRound(parts));
  }
  return { name, figures: toMedians(figures), peakMib: service.peakMib() };
}

async function runRound({ service, workload, seconds, ...parts }: Parts): Promise<Figures> {
  const connections = Math.min(parts.connections, workload.connectionsMax ?? Infinity);
  let count = 0;
  const load = startLoad({
    port: service.port, connections, next: workload.next, onAnswer() { count += 1; },
  });
  const pass = (durationMs: number) => Promise.race([sleep(durationMs), load.failed]);
  try {
    await pass(WARM_UP_MS);
    const before = [performance.now(), service.processorMs(), service.leaderMs()] as const;
    // A round starts and ends with the same number of open requests, so the response count is exact.
    count = 0;
    await pass(seconds * 1000);
    while (count < ANSWERS_MIN) {
      await pass(EXTENSION_MS);
    }
    return {
      rate: (count / (performance.now() - before[0])) * 1000,
      cpuUs: ((service.processorMs() - before[1]) / count) * 1000,
      leaderUs: ((service.leaderMs() - before[2]) / count) * 1000,
    };
  } finally {
    load.stop();
  }
}

function toMedians(rounds: readonly Figures[]): Figures {
  const of = (field: keyof Figures) => median(rounds.map((round) => round[field]));
  return { rate: of('rate'), cpuUs: of('cpuUs'), leaderUs: of('leaderUs') };
}

/** @returns NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

export function printTable(results: readonly Result[]): void {
  console.table(Object.fromEntries(results.map(({ name, figures: { rate, cpuUs, leaderUs }, peakMib }) => [
    name, {
      'req/s': round(rate), 'CPU µs': round(cpuUs), 'leader µs': round(leaderUs),
      'peak MiB': Math.round(peakMib),
    },
  ])));
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
