/** The two servers under measurement, as processes that end with this one. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ADMINISTRATOR } from '../../test/support/administrator.ts';
import { readMib, readProcessorMs } from '../../test/support/process-use.ts';
import { readPort } from '../listening.js';
import type { Answer } from './http.ts';

export interface MeasuredServer {
  readonly port: number;
  /** The processor time of the server so far, and of its database nodes if it has any. */
  processorMs(): number;
  /** The part of it that the leader of the nodes has used. */
  leaderMs(): number;
  /** The most memory that the server has held since its start. */
  peakMib(): number;
  stop(): Promise<void>;
}

export interface BareServer extends MeasuredServer {
  /** Makes the server give this response to every further request. */
  answerWith(answer: Answer): Promise<void>;
}

interface Placement {
  /** A command that starts a program on the core of the servers; empty when no core can be chosen. */
  readonly prefix: readonly string[];
  readonly description: string;
}

/** Lets one user make all changes of the load. */
const SETTINGS = { MAX_CHANGES_PER_USER: '0', MAX_PROJECTS_PER_USER: '1000000' };

/** The header fields that Node.js itself sets. */
const AUTOMATIC_FIELDS = ['date', 'connection', 'keep-alive'];

/**
 * Moves this process to the last core that it may use, with `taskset` (util-linux). The servers get the first
 * core. So load and servers do not slow each other down, and no server uses a second core unnoticed.
 */
export function placeLoad(): Placement {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const [first, last] = [list.split(/[-,]/)[0], list.split(/[-,]/).at(-1)]; // such as 0-3,8
  const pin = ['--all-tasks', '--cpu-list', '--pid', String(last), String(process.pid)];
  if (first === last || first === undefined || spawnSync('taskset', pin).status !== 0) {
    return { prefix: [], description: 'servers and load on all cores' };
  }
  const description = `servers on core ${first}, load on core ${last}`;
  return { prefix: ['taskset', '--cpu-list', first], description };
}

export async function startService(
  databaseUrl: string, placement: Placement,
  { nodes, leader }: { readonly nodes: readonly number[]; readonly leader: number | undefined },
): Promise<MeasuredServer> {
  const child = spawn(...toCommand('../../dist/server.js', placement), {
    env: { ...SETTINGS, ...ADMINISTRATOR, PORT: '0', DATABASE_URL: databaseUrl },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { ...manage(child, nodes, leader), port: await readPort(child.stdout) };
}

export async function startBareServer(placement: Placement): Promise<BareServer> {
  const child = spawn(...toCommand('bare-server.js', placement), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced', // it carries bytes without conversion
  });
  const server = manage(child, [], undefined);
  const [{ port }] = await once(child, 'message');
  return {
    ...server,
    port,
    async answerWith({ status, head, body }) {
      const fields = head.split('\r\n').slice(1).map((line) => line.split(/: *(.*)/, 2) as [string, string]);
      const own = fields.filter(([name]) => !AUTOMATIC_FIELDS.includes(name.toLowerCase()));
      child.send({ status, headers: Object.fromEntries(own), body });
      await once(child, 'message');
    },
  };
}

/** @param file - As seen from this file. */
function toCommand(file: string, { prefix }: Placement): [program: string, programArguments: string[]] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const [program = '', ...programArguments] = [...prefix, process.execPath, path];
  return [program, programArguments];
}

function manage(
  child: ChildProcess, nodes: readonly number[], leader: number | undefined,
): Omit<MeasuredServer, 'port'> {
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    processorMs: () => nodes.reduce((total, pid) => total + readProcessorMs(pid), readProcessorMs(child.pid)),
    leaderMs: () => leader === undefined ? 0 : readProcessorMs(leader),
    peakMib: () => readMib(child.pid, 'VmHWM'),
    async stop() {
      kill();
      await exited;
      process.off('exit', kill);
    },
  };
}
