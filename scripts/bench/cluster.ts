/**
 * `npm run bench:cluster`: measures requests on a cluster of three nodes on this machine, with one and two
 * copies of the service.
 *
 *   --against FOLDER   another built checkout; its copy gets the same load in alternating rounds, on three
 *                      nodes of its own, since its schema may differ
 *   --only TEXT        only workloads whose title contains the text
 *   --rounds N         [7]
 *
 * Nodes, copies and load share the cores of one machine. So the figures tell which code costs less, and not
 * how much a cluster on several machines can carry. Other programs on the machine change the rates; they
 * change the processor time least.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from '../build.js';
import { readPort } from '../listening.js';
import { startNodes, type Nodes } from '../nodes.js';
import { projectFolder } from '../runtime.js';
import { exchange, prepare, type PreparedRequest } from './http.ts';
import { measureLoad, median, type LoadFigures } from './measure.ts';
import { readProcessCpuSeconds } from './processes.ts';

const ROUND_SECONDS = 2;
/** Requests in flight end before the next round. */
const DRAIN_MS = 300;
const TOKENS = 256;

const ADMINISTRATOR = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'correct horse battery staple' };
const PASSWORD = `Basic ${Buffer.from(Object.values(ADMINISTRATOR).join(':')).toString('base64')}`;

/** Lifts limits that the load exceeds, as it comes from few connections and one user. */
const LIMITS = { MAX_PROJECTS_PER_USER: '1000000', MAX_CHANGES_PER_USER: '0' };

interface Workload {
  readonly title: string;
  readonly connections: number;
  readonly next: () => PreparedRequest;
}

interface Copy {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

/** A line of the table. */
interface Subject {
  readonly name: string;
  readonly nodes: Nodes;
  /** The copies among which the requests are divided. */
  readonly copies: readonly Copy[];
  readonly workloads: readonly Workload[];
}

const { values: { against, only, rounds: roundsText } } = parseArgs({
  options: {
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
  },
});
const roundCount = Number(roundsText);
const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
build();
const other = against === undefined ? [] : [await startSubject('other', against)];
const one = await startSubject('one copy', projectFolder);
const copies = [...one.copies, await startCopy(projectFolder, one.nodes)];
const subjects: readonly Subject[] = [...other, one, { ...one, name: 'two copies', copies }];
try {
  console.log(`${roundCount} alternating rounds of ${ROUND_SECONDS} s; cores: ${cpus().length}`);
  console.log('Medians: rate (lowest to highest), latency, processor time of nodes and copies,');
  console.log('and of the leader alone; then, as multiples of the first line: the rate,');
  console.log('and the requests for the same processor time');
  for (const [index, { title, connections }] of one.workloads.entries()) {
    if (title.includes(only)) {
      console.log(`\n${title}; connections: ${connections}`);
      await compare(index);
    }
  }
} finally {
  subjects.flatMap((subject) => subject.copies).forEach((copy) => copy.stop());
  await Promise.all([...other, one].map(({ nodes }) => nodes.stop()));
  rmSync(folder, { recursive: true, force: true });
}

async function startSubject(name: string, checkout: string): Promise<Subject> {
  const nodesFolder = join(folder, name);
  mkdirSync(nodesFolder);
  const nodes = await startNodes(nodesFolder);
  const copy = await startCopy(checkout, nodes);
  return { name, nodes, copies: [copy], workloads: await createWorkloads(copy.port) };
}

async function startCopy(checkout: string, nodes: Nodes): Promise<Copy> {
  const child = spawn(process.execPath, [join(checkout, 'dist', 'server.js')], {
    env: { ...ADMINISTRATOR, ...LIMITS, PORT: '0', DATABASE_URL: nodes.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const port = await readPort(child.stdout); // the access log that follows is read and discarded
  return { port, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
}

async function createWorkloads(port: number): Promise<readonly Workload[]> {
  const issue = prepare('POST /api/v1/token?expiration=86400', { authorization: PASSWORD, status: 201 });
  const tokens: string[] = [];
  for (let index = 0; index < TOKENS; index += 1) {
    tokens.push(`Bearer ${JSON.parse((await exchange(port, issue)).body.toString()).token}`);
    await exchange(port, toCreation(`bench-${index}`, tokens[0] ?? ''));
  }
  let sequence = 0;
  const authorization = tokens[0] ?? '';
  // Ada owns no projects.
  const ada = { username: 'ada', password: 'another long password', email: 'ada@example.org' };
  await exchange(port, prepare('POST /api/v1/users', { json: ada, status: 201 }));
  const user = prepare('GET /api/v1/users/ada', { authorization }); // without projects
  const list = prepare('GET /api/v1/projects?items_per_page=100', { authorization });
  const projects = tokens.map((token, index) => {
    return prepare(`GET /api/v1/projects/bench-${index}`, { authorization: token });
  });
  const nextProject = () => projects[(sequence += 1) % TOKENS] ?? user;
  const nextCreation = () => toCreation(`new-${sequence += 1}`, tokens[sequence % TOKENS] ?? '');
  return [
    { title: 'Read a user, one token', connections: 64, next: () => user },
    { title: `Read ${TOKENS} projects, ${TOKENS} tokens`, connections: 64, next: nextProject },
    { title: `Create a project, ${TOKENS} tokens`, connections: 64, next: nextCreation },
    { title: 'List 100 projects, one token', connections: 64, next: () => list },
    { title: 'Read a user, one token', connections: 1, next: () => user },
    { title: 'Create a project', connections: 1, next: nextCreation },
  ];
}

function toCreation(name: string, authorization: string): PreparedRequest {
  const json = { name, description: 'A small matter' };
  return prepare('POST /api/v1/projects', { authorization, json, status: 201 });
}

async function compare(workloadIndex: number): Promise<void> {
  const rounds = subjects.map(() => [] as LoadFigures[]);
  for (let round = 0; round < roundCount; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      rounds[index]?.push(await measure(subject.workloads[workloadIndex] as Workload, subject));
    }
  }
  for (const [index, { name }] of subjects.entries()) {
    const rates = rounds[index]?.map(({ requestsPerSecond }) => requestsPerSecond) ?? [];
    const ratios = rates.map((rate, round) => rate / (rounds[0]?.[round]?.requestsPerSecond ?? NaN));
    const latencyMs = median(rounds[index]?.map(({ p50Ms }) => p50Ms) ?? []);
    const cpu = rounds.map((own) => median(own.map(({ cpuMicroseconds: [all = NaN] }) => all)));
    const leader = median(rounds[index]?.map(({ cpuMicroseconds: [, only = NaN] }) => only) ?? []);
    const cpuRatio = (cpu[0] ?? NaN) / (cpu[index] ?? NaN);
    const [lowest, highest] = [Math.min(...rates), Math.max(...rates)].map(Math.round);
    const rate = `${Math.round(median(rates))} /s (${lowest} to ${highest})`;
    const columns = [
      name.padEnd(11), rate.padEnd(24),
      `${latencyMs.toFixed(2)} ms`.padEnd(10), `${Math.round(cpu[index] ?? NaN)} µs`.padEnd(8),
      `${Math.round(leader)} µs`.padEnd(8),
      `×${median(ratios).toFixed(2)}`, `×${cpuRatio.toFixed(2)}`,
    ];
    console.log(`  ${columns.join(' ')}`);
  }
}

/** Meters the processor time of all nodes and copies, and of the leader alone. */
async function measure({ connections, next }: Workload, { nodes, copies }: Subject): Promise<LoadFigures> {
  const leaderPid = (await nodes.findLeader()).pid() ?? 0;
  const allPids = [...copies.map(({ pid }) => pid), ...nodes.all.map((node) => node.pid() ?? 0)];
  const figures = await measureLoad({
    ports: (connections === 1 ? copies.slice(0, 1) : copies).map(({ port }) => port),
    connectionCount: Math.max(1, Math.floor(connections / copies.length)),
    next,
    seconds: ROUND_SECONDS,
    cpuMeters: [allPids, [leaderPid]].map((pids) => (
      () => pids.map(readProcessCpuSeconds).reduce((total, seconds) => total + seconds, 0)
    )),
  });
  await pause(DRAIN_MS);
  return figures;
}
