/**
 * `npm run cluster`: three nodes of a database and two copies of the service on this machine, for trying out what happens
 * when one is killed. The data is thrown away at the end, which Ctrl-C brings about.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from './build.js';
import { startNodes } from './nodes.js';
import { projectFolder } from './runtime.js';

const COPIES = 2;
/** Of the first copy; the next one has the next port. */
const PORT_MIN = 8080;

const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const signalled = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

build();
const nodes = await startNodes(folder);
const copies = Array.from({ length: COPIES }, (_, index) => startCopy(PORT_MIN + index));
const failed = Promise.race(copies.map(({ child }) => once(child, 'exit'))).then(() => {
  process.exitCode = 1;
});
await Promise.race([Promise.all(copies.map(({ listening }) => listening)).then(explain), failed, signalled]);
await Promise.race([failed, signalled]);
await Promise.all(copies.map(stopCopy));
await nodes.stop();

/** @param {number} port */
function startCopy(port) {
  const child = spawn(process.execPath, [join(projectFolder, 'dist', 'server.js')], {
    env: { ...process.env, PORT: String(port), DATABASE_URL: nodes.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const listening = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { level, message } = JSON.parse(line);
      if (message === 'listening') {
        resolve(undefined);
      } else if (level === 'error') {
        console.log(line);
      }
    });
  });
  return { port, child, listening };
}

/** @param {{ child: import('node:child_process').ChildProcess }} copy */
async function stopCopy({ child }) {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

async function explain() {
  const leader = await nodes.findLeader();
  const lines = nodes.all.map((node) => `  ${node.name}  http://127.0.0.1:${node.port}  pid ${node.pid()}${node === leader ? '  leads' : ''}`);
  console.log(`
Copies of the service:
${copies.map(({ port }) => `  http://127.0.0.1:${port}/static/`).join('\n')}

Nodes of the database, ${nodes.url}:
${lines.join('\n')}

Kill the leader (kill -9 PID), or freeze and thaw it (kill -STOP PID, kill -CONT PID): both copies go on. Ctrl-C ends it all.`);
}
