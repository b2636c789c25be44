/** Measures each workload on the service and on a bare server that answers the same bytes, in alternating rounds. */
import { readPeakMemoryMib } from './process-group.ts';
import { exchange, type Answer } from './request.ts';
import { runRound, type Measurement, type RoundOptions } from './round.ts';
import type { BareServer, RunningServer } from './servers.ts';
import { median } from './statistics.ts';
import type { Workload, WorkloadName } from './workloads.ts';

export interface WorkloadResult {
  readonly name: WorkloadName;
  readonly title: string;
  readonly answerBytes: number;
  readonly service: Measurement;
  /** Absent for a mix, which has no one answer. */
  readonly bare: Measurement | undefined;
  /** The service's figure divided by that of the bare server; median over the pairs of rounds. */
  readonly ratios: { readonly requestsPerSecond: number; readonly cpu: number } | undefined;
  /** Of the service, since its start. */
  readonly peakMemoryMib: number;
  readonly rounds: readonly Pair[];
}

interface Pair {
  readonly service: Measurement;
  readonly bare: Measurement | undefined;
}

interface Comparison {
  readonly name: WorkloadName;
  readonly workload: Workload;
  readonly service: RunningServer;
  /** Absent to measure the service alone. */
  readonly bare: BareServer | undefined;
  readonly roundCount: number;
  readonly options: RoundOptions;
}

/** How much of a wrong answer is shown. */
const SHOWN_LENGTH_MAX = 500;

/** @throws When an answer is wrong or a connection is lost. */
export async function measureWorkload({ name, workload, service, bare, roundCount, options }: Comparison): Promise<WorkloadResult> {
  const { title, next, isPlausible, isMix, connectionCountMax = Infinity } = workload;
  const request = next();
  const answer = await exchange(service.port, request);
  if (answer.status !== request.status || !isPlausible(answer)) {
    throw new Error(`The answer to workload "${name}" is not what it should be: ${describe(answer)}`);
  }
  const other = isMix ? undefined : bare;
  if (other !== undefined) {
    await other.answerWith(answer);
    assertSame(answer, await exchange(other.port, request));
  }
  const roundOptions = { ...options, connectionCount: Math.min(options.connectionCount, connectionCountMax) };
  const rounds: Pair[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    rounds.push({
      service: await runRound(service, next, roundOptions),
      bare: other && (await runRound(other, next, roundOptions)),
    });
  }
  return {
    name,
    title,
    answerBytes: answer.body.length,
    ...summarize(rounds),
    peakMemoryMib: readPeakMemoryMib(service.groupId),
    rounds,
  };
}

/** Only the time of day may differ, and the order of fields, as Node.js adds its own at the end. */
function assertSame(expected: Answer, actual: Answer): void {
  const [left, right] = [expected, actual].map(({ status, headers, body }) => {
    const fields = headers.filter(([name]) => name.toLowerCase() !== 'date').map((pair) => pair.join(': '));
    return `${status}\n${fields.sort().join('\n')}\n${body.toString('latin1')}`;
  });
  if (left !== right) {
    throw new Error(`The bare server does not answer the same bytes: ${describe(actual)}\ninstead of ${describe(expected)}`);
  }
}

function describe({ status, headers, body }: Answer): string {
  const fields = headers.map((pair) => `${pair.join(': ')}\n`).join('');
  return `${status}\n${fields}\n${body.toString().slice(0, SHOWN_LENGTH_MAX)}`;
}

function summarize(rounds: readonly Pair[]): Pick<WorkloadResult, 'service' | 'bare' | 'ratios'> {
  const pairs = rounds.flatMap(({ service, bare }) => (bare === undefined ? [] : [{ service, bare }]));
  const service = toMedians(rounds.map((round) => round.service));
  if (pairs.length === 0) {
    return { service, bare: undefined, ratios: undefined };
  }
  return {
    service,
    bare: toMedians(pairs.map((pair) => pair.bare)),
    ratios: {
      requestsPerSecond: median(pairs.map((pair) => pair.service.requestsPerSecond / pair.bare.requestsPerSecond)),
      cpu: median(pairs.map((pair) => pair.service.cpuMicroseconds / pair.bare.cpuMicroseconds)),
    },
  };
}

function toMedians(measurements: readonly Measurement[]): Measurement {
  const medianOf = (field: keyof Measurement) => median(measurements.map((measurement) => measurement[field]));
  return {
    requestsPerSecond: medianOf('requestsPerSecond'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    cpuMicroseconds: medianOf('cpuMicroseconds'),
  };
}
