/** `npm run cluster`: see USAGE. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from './build.js';
import { runCommand } from './command.js';
import { readUrl } from './listening.js';
import { startNodes } from './nodes.js';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run cluster

Starts three nodes of a database and two copies of the service on this machine, to try out what happens
when one of them is killed. Shows which nodes run, which one leads, and which requests fail. The copies
listen on 8080 and 8081, or on free ports if these are in use. Ctrl-C ends everything and removes the data.

Exit codes: 0 ended by a signal, 1 failed, 64 wrong arguments.`;

const COPIES = 2;
/** The port of the first copy of the service; each further copy has the next port. */
const PORT_MIN = 8080;
const WATCH_EVERY_MS = 250;
/** How long to wait for an answer; longer than the service ever takes, which is 8 s. */
const ANSWER_TIMEOUT_MS = 10_000;

let isEnding = false;

await runCommand(USAGE, run);

async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const signalled = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  build();
  const nodes = await startNodes(folder);
  const ports = await Promise.all(Array.from({ length: COPIES }, (_, index) => toFreePort(PORT_MIN + index)));
  const copies = ports.map((port) => startCopy(port, nodes.url));
  const failed = Promise.race(copies.map(({ child }) => once(child, 'exit'))).then(() => {
    process.exitCode = 1;
  });
  const started = Promise.all(copies.map(({ listening }) => listening)).then((found) => {
    const urls = found.filter((url) => url !== undefined);
    return urls.length < COPIES ? failed : watch(nodes, explain(nodes, urls));
  });
  await Promise.race([started, failed, signalled]);
  isEnding = true;
  await Promise.all(copies.map(stopCopy));
  await nodes.stop();
  process.exit();
}

/**
 * @param {number} port
 * @returns {Promise<number>} The port if it is free, or 0, for which the system chooses one.
 */
function toFreePort(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

/**
 * @param {number} port
 * @param {string} databaseUrl
 */
function startCopy(port, databaseUrl) {
  const child = spawn(process.execPath, [join(projectFolder, 'dist', 'server.js')], {
    env: { ...process.env, PORT: String(port), DATABASE_URL: databaseUrl, LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return { child, listening: readUrl(child.stdout) };
}

/** @param {{ child: import('node:child_process').ChildProcess }} copy */
async function stopCopy({ child }) {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

/**
 * @param {import('./nodes.js').Nodes} nodes
 * @param {readonly string[]} urls - The URLs of the copies.
 */
function explain(nodes, urls) {
  const lines = nodes.all.map(({ name, port, pid }) => `  ${name}  http://127.0.0.1:${port}  pid ${pid()}`);
  console.log(`
Copies of the service:
${urls.map((url) => `  ${url}/static/`).join('\n')}

Nodes of the database, ${nodes.url}:
${lines.join('\n')}

Kill the leader (kill -9 PID), or freeze and thaw it (kill -STOP PID, kill -CONT PID): both copies go on.
This terminal shows what happens. Ctrl-C ends everything.
`);
  return urls;
}

/**
 * Reports changes until the process ends: nodes that end, a new leader, and copies whose requests fail.
 *
 * @param {import('./nodes.js').Nodes} nodes
 * @param {readonly string[]} urls - The URLs of the copies.
 */
async function watch(nodes, urls) {
  await Promise.all([
    ...nodes.all.map(({ name, pid }) => report(name, async () => isRunning(pid()) ? 'runs' : 'has ended')),
    report('leader', async () => (await nodes.askForLeader())?.name ?? 'none'),
    ...urls.map((url) => report(url, () => ask(url))),
  ]);
}

/**
 * @param {string} subject
 * @param {() => Promise<string>} ask
 */
async function report(subject, ask) {
  for (let last = '', state = ''; ; last = state) {
    state = await ask();
    if (state !== last && !isEnding) {
      console.log(`${new Date().toTimeString().slice(0, 8)}  ${subject}: ${state}`);
    }
    await pause(WATCH_EVERY_MS);
  }
}

/**
 * A copy is ready only while its database answers.
 *
 * @param {string} url
 * @returns {Promise<string>} Whether it answers, or why not.
 */
async function ask(url) {
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return status === 200 ? 'answers' : `a request failed (${status})`;
  } catch (error) {
    return `a request failed (${error instanceof Error ? error.message : error})`;
  }
}

/** @param {number | undefined} pid */
function isRunning(pid) {
  try {
    return pid !== undefined && process.kill(pid, 0); // signal 0 only tests whether it exists
  } catch {
    return false;
  }
}
