/** Starts the measured service as a child process, which ends when this process ends. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ADMINISTRATOR } from '../../test/support/administrator.ts';
import { readMib, readProcessorMs } from '../../test/support/process-use.ts';
import { readPort } from '../listening.ts';

export type MeasuredService = Awaited<ReturnType<typeof startService>>;

/** With these settings, a single user can make all changes that the workloads request. */
const SETTINGS = { MAX_CHANGES_PER_USER: '0', MAX_PROJECTS_PER_USER: '1000000' };

/**
 * This process generates the load. The program `taskset` of util-linux moves this process to the last
 * available core. The service runs alone on the first core.
 *
 * @returns `prefix` is put before the start command of the service.
 */
export function placeLoad() {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  // `list` names the cores in a form such as `0-3,8`.
  const [first, last] = [list.split(/[-,]/)[0], list.split(/[-,]/).at(-1)];
  const pin = ['--all-tasks', '--cpu-list', '--pid', String(last), String(process.pid)];
  if (first === last || first === undefined || spawnSync('taskset', pin).status !== 0) {
    return { prefix: [], description: 'service and load on all cores' };
  }
  const description = `service on core ${first}, load on core ${last}`;
  return { prefix: ['taskset', '--cpu-list', first], description };
}

export async function startService(
  databaseUrl: string, prefix: readonly string[],
  { nodes, leader }: { readonly nodes: readonly number[]; readonly leader: number | undefined },
) {
  const file = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
  const [program = '', ...programArguments] = [...prefix, process.execPath, file];
  const child = spawn(program, programArguments, {
    env: { ...SETTINGS, ...ADMINISTRATOR, PORT: '0', DATABASE_URL: databaseUrl },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    port: await readPort(child.stdout),
    /** The processor time of the service and its database nodes together. */
    processorMs: () => nodes.reduce((total, pid) => total + readProcessorMs(pid), readProcessorMs(child.pid)),
    leaderMs: () => leader === undefined ? 0 : readProcessorMs(leader),
    peakMib: () => readMib(child.pid, 'VmHWM'),
    stop() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
