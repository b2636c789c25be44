/**
 * `npm run bench`: what a request costs, beside a bare `node:http` server that answers the same bytes in the same run, and
 * how that grows with the number of users. See `--help`; the parts are in `bench/`, in the order of their use: options
 * stage (population fill callers searches workloads servers) compare (round load framing process-group) report.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { EXIT_FAILURE, EXIT_USAGE } from '../src/programs/exit-codes.ts';
import { measureWorkload, type WorkloadResult } from './bench/compare.ts';
import { leaveUnpinned, placeLoad, type Placement } from './bench/cores.ts';
import { HELP, parseOptions, type Options } from './bench/options.ts';
import { formatComparison, formatScale, type ScaleStep } from './bench/report.ts';
import { startBareServer, type BareServer } from './bench/servers.ts';
import { setStage } from './bench/stage.ts';
import { build } from './build.js';

const SCALE_SIZES = [1_000, 10_000, 100_000, 1_000_000];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(EXIT_FAILURE)); // the handlers of `exit` end the servers and remove their data
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
    throw new Error(`Cannot measure on ${process.platform}: expected Linux, whose /proc tells what a process has used`);
  }
  build();
  const placement = options.isPinned ? placeLoad() : leaveUnpinned('as asked');
  printConditions(options, placement);
  if (options.isScale) {
    await runScale(options, placement);
  } else {
    await runComparison(options, placement);
  }
}

async function runComparison(options: Options, placement: Placement): Promise<void> {
  const bare = await startBareServer(placement);
  const results = await measureSize({ options, placement, bare, userCount: options.userCount });
  await bare.stop();
  process.stdout.write(`\n${formatComparison(results)}`);
  writeJson(options, { placement: placement.description, userCount: options.userCount, results });
}

async function runScale(options: Options, placement: Placement): Promise<void> {
  const steps: ScaleStep[] = [];
  for (const userCount of SCALE_SIZES.filter((size) => size <= options.userCount)) {
    const databaseFile = options.databaseFile && `${options.databaseFile}.${userCount}`;
    const results = await measureSize({ options: { ...options, databaseFile }, placement, bare: undefined, userCount });
    steps.push({ userCount, results });
  }
  process.stdout.write(`\n${formatScale(steps)}`);
  writeJson(options, { placement: placement.description, steps });
}

interface SizeParts {
  readonly options: Options;
  readonly placement: Placement;
  readonly bare: BareServer | undefined;
  readonly userCount: number;
}

async function measureSize({ options, placement, bare, userCount }: SizeParts): Promise<readonly WorkloadResult[]> {
  const { workloadNames, databaseFile, settings, seconds, connectionCount, roundCount } = options;
  const { service, workloads, close } = await setStage({ userCount, databaseFile, settings, placement });
  const results: WorkloadResult[] = [];
  for (const name of workloadNames) {
    const workload = workloads[name];
    process.stderr.write(`Measuring ${name}: ${workload.title}\n`);
    results.push(await measureWorkload({ name, workload, service, bare, roundCount, options: { seconds, connectionCount } }));
  }
  await close();
  return results;
}

function printConditions({ userCount, isScale, seconds, roundCount, connectionCount, settings }: Options, { description }: Placement): void {
  const changed = Object.entries(settings).map((pair) => pair.join('=')).join(' ');
  process.stdout.write(`${isScale ? 'up to ' : ''}${userCount} users; ${roundCount} rounds of ${seconds} s, ${connectionCount} connections; ${description}
Node.js ${process.versions.node}, ${cpus()[0]?.model.trim()}; access log into a pipe that is read and discarded; settings: ${changed || 'the defaults'}
`);
}

function writeJson({ jsonFile, seconds, roundCount, connectionCount, settings }: Options, measured: object): void {
  if (jsonFile !== undefined) {
    const conditions = { node: process.versions.node, processor: cpus()[0]?.model, seconds, roundCount, connectionCount, settings };
    writeFileSync(jsonFile, `${JSON.stringify({ ...conditions, ...measured }, null, 2)}\n`);
  }
}
