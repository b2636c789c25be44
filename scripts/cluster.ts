/** `npm run cluster`: starts a database cluster, and two instances of the service that use this cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from './build.js';
import { runCommand } from './command.ts';
import { readUrl } from './listening.ts';
import { startNodes, type Nodes } from './nodes.ts';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run cluster

Starts three nodes of a database and two instances of the service on this machine. Shows which node leads, and
whether each instance answers. You can see what happens when you kill a node or an instance. Ctrl-C ends
everything and removes the data.

Exit codes: 0 ended by a signal, 1 failed, 64 wrong arguments.`;

const INSTANCES = 2;
const WATCH_EVERY_MS = 250;
/** The service always responds within 8 s. */
const ANSWER_TIMEOUT_MS = 10_000;

await runCommand(USAGE, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => process.exit()); // the handlers of `exit` end all child processes
  }
  build();
  const nodes = await startNodes(folder);
  const urls = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance(nodes.url)));
  explain(nodes, urls);
  await Promise.all([
    report('leader', async () => (await nodes.findLeader()).name),
    ...urls.map((url) => report(url, () => ask(url))),
  ]);
});

async function startInstance(databaseUrl: string): Promise<string> {
  const child = spawn(process.execPath, [join(projectFolder, 'dist', 'server.js')], {
    env: { ...process.env, PORT: '0', DATABASE_URL: databaseUrl, LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = await readUrl(child.stdout);
  void once(child, 'exit').then(() => console.log(`The server at ${url} has exited`));
  return url;
}

function explain(nodes: Nodes, urls: readonly string[]): void {
  const lines = nodes.all.map(({ name, port, pid }) => `  ${name}  http://127.0.0.1:${port}  pid ${pid()}`);
  console.log(`
Instances of the service:
${urls.map((url) => `  ${url}/static/`).join('\n')}

Nodes of the database, ${nodes.url}:
${lines.join('\n')}

Kill the leader (kill -9 PID), or freeze and thaw it (kill -STOP PID, kill -CONT PID): both instances go on.
This terminal shows what happens. Ctrl-C ends everything.
`);
}

/** Prints the state at the start and after each change. */
async function report(subject: string, readState: () => Promise<string>): Promise<never> {
  for (let last = '', state = ''; ; last = state) {
    state = await readState();
    if (state !== last) {
      console.log(`${new Date().toTimeString().slice(0, 8)}  ${subject}: ${state}`);
    }
    await pause(WATCH_EVERY_MS);
  }
}

/** An instance is ready while its database responds. */
async function ask(url: string): Promise<string> {
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return status === 200 ? 'answers' : `a request failed (${status})`;
  } catch (error) {
    return `a request failed (${error instanceof Error ? error.message : error})`;
  }
}
