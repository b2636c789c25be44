/** `npm run bench`: measures the cost of each kind of request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_FAILURE, EXIT_USAGE } from '../src/runtime.ts';
import { startNodes } from './nodes.ts';
import { build } from './build.js';
import { fill } from './bench/fill.ts';
import { measureWorkload, printTable, type Result } from './bench/measure.ts';
import { placeLoad, startService } from './bench/service.ts';
import { createWorkloads, issueTokens, WORKLOAD_NAMES, type WorkloadName } from './bench/workloads.ts';

const USAGE = `Usage: npm run bench [-- OPTION…]

Measures the built service on a new database full of users and projects. Figures are medians over the rounds.
Needs Linux.

  --users N          create N users, from 1000 to 1000000; every second user owns projects [100000]
  --workload NAMES   measure only these workloads, separated by commas [all workloads]
  --rounds R         number of rounds for each workload; a round takes at least a second [5]
  --connections C    requests in flight at any time [16]
  --cluster          measure on a cluster of three nodes; the default of --users is then 1000

Workloads: ${WORKLOAD_NAMES.join(' ')}

Exit codes: 0 measured, 1 failed, 64 wrong arguments.`;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(EXIT_FAILURE)); // the handlers of `exit` stop all servers
}

type Options = ReturnType<typeof readOptions>;

try {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
  } else {
    await run(options);
  }
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  console.error(message);
  const isUsage = message.startsWith('Cannot read --') || code?.startsWith('ERR_PARSE_ARGS');
  process.exit(isUsage ? EXIT_USAGE : EXIT_FAILURE);
}

function readOptions() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: { users: text, workload: text, rounds: text, connections: text, cluster: flag, help: flag },
  });
  const { users = values.cluster ? '1000' : '100000', rounds = '5', connections = '16' } = values;
  return {
    ...values,
    users: toInteger('users', users, 1_000, 1_000_000),
    rounds: toInteger('rounds', rounds, 1, 100),
    connections: toInteger('connections', connections, 1, 1_000),
    names: values.workload?.split(',').map(toWorkloadName) ?? WORKLOAD_NAMES,
  };
}

function toInteger(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) {
    throw new Error(`Cannot read --${name} "${text}": expected an integer from ${min} to ${max}`);
  }
  return value;
}

function toWorkloadName(text: string): WorkloadName {
  const name = WORKLOAD_NAMES.find((known) => known === text);
  if (name === undefined) {
    throw new Error(`Cannot read --workload "${text}": expected one or more of ${WORKLOAD_NAMES.join(', ')}`);
  }
  return name;
}

async function run({ users, rounds, connections, cluster, names }: Options): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const placement = cluster ? { prefix: [], description: 'everything on all cores' } : placeLoad();
  console.log(`${users} users; ${rounds} rounds, ${connections} connections; ${placement.description}`);
  console.log(`Node.js ${process.versions.node}, ${cpus()[0]?.model.trim()}; access log into a pipe`);

  const nodes = cluster ? await startNodes(folder) : undefined;
  const databaseUrl = nodes?.url ?? `sqlite:${folder}/service.sqlite`;
  await fill(databaseUrl, users);
  const leader = await nodes?.findLeader();
  const service = await startService(databaseUrl, placement.prefix, {
    nodes: nodes?.all.map((node) => node.pid() ?? 0) ?? [], leader: leader?.pid(),
  });
  const workloads = createWorkloads(users, await issueTokens(service.port));
  const results: Result[] = [];
  for (const name of names) {
    console.error(`Measuring ${name}: ${workloads[name].title}`);
    results.push(await measureWorkload({
      name, workload: workloads[name], service, rounds, connections, seconds: 1,
    }));
  }
  printTable(results);
  process.exit(); // the handlers of `exit` stop all servers and nodes
}
