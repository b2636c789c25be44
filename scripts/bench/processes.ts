/**
 * The two servers under measurement, as processes. Each leads a process group. The group is measured as a
 * whole, and ends with the run, however the run ends. Linux's `/proc` tells what a group has used
 * (proc_pid_stat(5), proc_pid_status(5)): its processes and all of their threads.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readPort } from '../listening.js';
import type { Answer } from './http.ts';

export interface RunningServer {
  readonly port: number;
  /** The id of the server's process, and of its process group. */
  readonly groupId: number;
  stop(): Promise<void>;
}

export interface BareServer extends RunningServer {
  /** Makes the server give this answer to every further request. */
  answerWith(answer: Answer): Promise<void>;
}

/**
 * The core on which servers run. `serverPrefix` is a command that starts a program there; the program and its
 * arguments follow it. It is empty when no core can be chosen.
 */
export interface Placement {
  readonly serverPrefix: readonly string[];
  /** A sentence for the report. */
  readonly description: string;
}

const serviceFile = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
const bareFile = fileURLToPath(new URL('bare-server.js', import.meta.url));

/** Lets a few users make all changes of the load. */
const SETTINGS = { MAX_CHANGES_PER_USER: '0' };

/** The header fields that Node.js itself sets on every answer. */
const AUTOMATIC_FIELDS = ['date', 'connection', 'keep-alive'];

/**
 * Moves this process to the last core that it may use, with `taskset` (util-linux). The servers get the first
 * core. So load and servers do not slow each other down, and no server uses a second core unnoticed.
 */
export function placeLoad(): Placement {
  const cores = listAllowedCores();
  const [first, last] = [cores[0], cores.at(-1)];
  if (first === undefined || first === last) {
    return leaveUnpinned('there is only one');
  }
  const pin = ['--all-tasks', '--cpu-list', '--pid', String(last), String(process.pid)];
  if (spawnSync('taskset', pin).status !== 0) {
    return leaveUnpinned('taskset does not work here');
  }
  const description = `servers on core ${first}, load on core ${last}`;
  return { serverPrefix: ['taskset', '--cpu-list', String(first)], description };
}

export function leaveUnpinned(reason: string): Placement {
  return { serverPrefix: [], description: `servers and load on all cores (${reason})` };
}

/** Parses `0-3,8` to 0, 1, 2, 3 and 8. */
function listAllowedCores(): readonly number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

interface ServiceParts {
  readonly databaseFile: string;
  /** Settings other than the defaults, by the names of the environment. */
  readonly settings: Readonly<Record<string, string>>;
  readonly placement: Placement;
}

/** Starts the built service; its access log goes into a pipe that is read and discarded. */
export async function startService(parts: ServiceParts): Promise<RunningServer> {
  const { databaseFile, settings, placement } = parts;
  const child = spawn(...toCommand(serviceFile, placement), {
    env: { ...SETTINGS, PORT: '0', DATABASE_URL: `sqlite:${databaseFile}`, ...settings },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const group = manage(child);
  return { port: await readPort(child.stdout), ...group };
}

export async function startBareServer(placement: Placement): Promise<BareServer> {
  const child = spawn(...toCommand(bareFile, placement), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced', // it carries bytes without conversion
    detached: true,
  });
  const group = manage(child);
  const [{ port }] = await Promise.race([once(child, 'message'), failAtExit(child)]);
  return {
    port,
    ...group,
    async answerWith({ status, headers, body }) {
      const own = headers.filter(([name]) => !AUTOMATIC_FIELDS.includes(name.toLowerCase()));
      child.send({ status, headers: Object.fromEntries(own), body });
      await once(child, 'message');
    },
  };
}

function toCommand(file: string, { serverPrefix }: Placement): [program: string, programArguments: string[]] {
  const [program = process.execPath, ...rest] = [...serverPrefix, process.execPath, file];
  return [program, rest];
}

function manage(child: ChildProcess): Pick<RunningServer, 'groupId' | 'stop'> {
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`Cannot start ${child.spawnfile}`);
  }
  const exited = once(child, 'exit');
  const kill = () => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  process.once('exit', kill);
  return {
    groupId: pid,
    async stop() {
      kill();
      await exited;
      process.off('exit', kill);
    },
  };
}

async function failAtExit(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`The bare server ended with exit code ${code} before it listened`);
}

/** `USER_HZ`, the unit of times in `/proc/<pid>/stat`: 100 on every architecture of Node.js. */
const TICKS_PER_SECOND = 100;

/** User and system time of all processes of the group, in steps of 10 ms. */
export function readCpuSeconds(groupId: number): number {
  return sum(listMembers(groupId).map(({ ticks }) => ticks)) / TICKS_PER_SECOND;
}

/** User and system time of one process with all of its threads, in steps of 10 ms. */
export function readProcessCpuSeconds(pid: number): number {
  return readUsage(String(pid)).ticks / TICKS_PER_SECOND;
}

/** The sum of the peak memory of all processes of the group. */
export function readPeakMemoryMib(groupId: number): number {
  const kibibytes = listMembers(groupId).map(({ pid }) => {
    const [, peak = 0] = /^VmHWM:\s+(\d+) kB/m.exec(readProcessFile(pid, 'status')) ?? [];
    return Number(peak);
  });
  return sum(kibibytes) / 1024;
}

function listMembers(groupId: number): readonly { readonly pid: string; readonly ticks: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, ...readUsage(pid) }))
    .filter(({ group }) => group === groupId);
}

function readUsage(pid: string): { readonly group: number | undefined; readonly ticks: number } {
  // The second field, the name of the program, may hold anything; the third begins after its parenthesis.
  const fields = readProcessFile(pid, 'stat').replace(/^.*\) /s, '').split(' ').map(Number);
  const [group, userTicks = 0, systemTicks = 0] = [5, 14, 15].map((number) => fields[number - 3]);
  return { group, ticks: userTicks + systemTicks };
}

/** @returns Empty text for a process that has just ended. */
function readProcessFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
