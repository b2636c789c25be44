/**
 * `npm run bench`: measures the cost of a request, next to a bare `node:http` server that answers the same
 * bytes in the same run. It also measures how the cost grows with the number of users. See `--help`. The
 * parts are in `bench/`.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { EXIT_FAILURE, EXIT_USAGE } from '../src/runtime.ts';
import { measureWorkload, type WorkloadResult } from './bench/measure.ts';
import { HELP, parseOptions, type Options } from './bench/options.ts';
import { leaveUnpinned, placeLoad, startBareServer } from './bench/processes.ts';
import type { BareServer, Placement } from './bench/processes.ts';
import { formatComparison, formatScale, type ScaleStep } from './bench/report.ts';
import { setStage } from './bench/stage.ts';
import { build } from './build.js';

const SCALE_SIZES = [1_000, 10_000, 100_000, 1_000_000];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The handlers of `exit` end the servers and remove their data.
  process.once(signal, () => process.exit(EXIT_FAILURE));
}

const outcome = parseOptions(process.argv.slice(2));
switch (outcome.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${outcome.mistake}\nSee npm run bench -- --help\n`);
    process.exitCode = EXIT_USAGE;
    break;
  case 'run':
    await run(outcome.options).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      process.exit(EXIT_FAILURE);
    });
}

async function run(options: Options): Promise<void> {
  if (process.platform !== 'linux') {
    throw new Error(`Cannot measure on ${process.platform}: expected Linux, for its /proc`);
  }
  build();
  const placement = options.isPinned ? placeLoad() : leaveUnpinned('as requested');
  printConditions(options, placement);
  const measured = await (options.isScale ? measureScale(options, placement) : compare(options, placement));
  if (options.jsonFile !== undefined) {
    const { seconds, roundCount, connectionCount, settings } = options;
    const machine = { node: process.versions.node, processor: cpus()[0]?.model };
    const conditions = { placement: placement.description, seconds, roundCount, connectionCount, settings };
    const result = { ...machine, ...conditions, ...measured };
    writeFileSync(options.jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  }
}

async function compare(options: Options, placement: Placement): Promise<object> {
  const bare = await startBareServer(placement);
  const results = await measureAll(options, placement, bare);
  await bare.stop();
  process.stdout.write(`\n${formatComparison(results)}`);
  return { userCount: options.userCount, results };
}

async function measureScale(options: Options, placement: Placement): Promise<object> {
  const steps: ScaleStep[] = [];
  for (const userCount of SCALE_SIZES.filter((size) => size <= options.userCount)) {
    const databaseFile = options.databaseFile && `${options.databaseFile}.${userCount}`;
    const results = await measureAll({ ...options, userCount, databaseFile }, placement, undefined);
    steps.push({ userCount, results });
  }
  process.stdout.write(`\n${formatScale(steps)}`);
  return { steps };
}

async function measureAll(
  options: Options,
  placement: Placement,
  bare: BareServer | undefined,
): Promise<readonly WorkloadResult[]> {
  const { service, workloads, close } = await setStage({ ...options, placement });
  const { seconds, roundCount, connectionCount } = options;
  const results: WorkloadResult[] = [];
  for (const name of options.workloadNames) {
    const workload = workloads[name];
    process.stderr.write(`Measuring ${name}: ${workload.title}\n`);
    const comparison = { name, workload, service, bare, seconds, roundCount, connectionCount };
    results.push(await measureWorkload(comparison));
  }
  await close();
  return results;
}

function printConditions(options: Options, { description }: Placement): void {
  const { userCount, isScale, seconds, roundCount, connectionCount, settings } = options;
  const changed = Object.entries(settings).map((pair) => pair.join('=')).join(' ') || 'the defaults';
  const rounds = `${roundCount} rounds of ${seconds} s, ${connectionCount} connections`;
  process.stdout.write(`${isScale ? 'up to ' : ''}${userCount} users; ${rounds}; ${description}
Node.js ${process.versions.node}, ${cpus()[0]?.model.trim()}; access log into a pipe; settings: ${changed}
`);
}
