/**
 * The two servers under measurement, as processes. Each leads a process group, by which its use is counted and by which
 * it ends with the run, however the run ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Placement } from './cores.ts';
import type { Answer } from './request.ts';

export interface RunningServer {
  readonly name: string;
  readonly port: number;
  /** The id of its process and of its process group. */
  readonly groupId: number;
  stop(): Promise<void>;
}

export interface BareServer extends RunningServer {
  /** From now on it answers with this, whatever is asked. */
  answerWith(answer: Answer): Promise<void>;
}

interface ServiceParts {
  readonly databaseFile: string;
  /** Settings other than those of `SETTINGS` and the defaults, as in the environment. */
  readonly settings: Readonly<Record<string, string>>;
  readonly placement: Placement;
}

const serviceFile = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
const bareFile = fileURLToPath(new URL('bare-server.js', import.meta.url));

/** The load keeps its connections for as long as a round takes, like those to the bare server. */
const SETTINGS = { MAX_REQUESTS_PER_CONNECTION: '0' };

/** Set by Node.js itself on every answer. */
const AUTOMATIC_FIELDS = ['date', 'connection', 'keep-alive'];

/** Starts the built service; its access log goes to a pipe and is thrown away here. */
export async function startService({ databaseFile, settings, placement }: ServiceParts): Promise<RunningServer> {
  const child = spawn(...toCommand(serviceFile, placement), {
    env: { ...SETTINGS, PORT: '0', DATABASE_URL: `sqlite:${databaseFile}`, ...settings },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const { groupId, stop } = manage(child);
  const port = await Promise.race([readPort(child.stdout), failAtExit('service', child)]);
  child.stdout.resume();
  return { name: 'service', port, groupId, stop };
}

export async function startBareServer(placement: Placement): Promise<BareServer> {
  const child = spawn(...toCommand(bareFile, placement), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced', // which carries bytes as they are
    detached: true,
  });
  const { groupId, stop } = manage(child);
  const [{ port }] = await Promise.race([once(child, 'message'), failAtExit('bare server', child)]);
  return {
    name: 'bare server',
    port,
    groupId,
    stop,
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

function manage(child: ChildProcess): { groupId: number; stop: () => Promise<void> } {
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`Cannot start ${child.spawnfile}`);
  }
  const exited = once(child, 'exit');
  const kill = () => endGroup(pid);
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

function endGroup(groupId: number): void {
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function failAtExit(name: string, child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`The ${name} ended with exit code ${code} before it listened`);
}

/** Reads the log up to the line that says where the service listens. */
function readPort(log: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    log.on('data', function read(chunk: Buffer) {
      text += chunk.toString();
      const [, port] = /^.*"message":"listening".*"url":"[^"]*:(\d+)".*\n/m.exec(text) ?? [];
      if (port !== undefined) {
        log.off('data', read);
        resolve(Number(port));
      }
    });
  });
}
