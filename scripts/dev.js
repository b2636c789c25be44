/**
 * `npm run dev`: serves from the source, and starts again after each change of `src/` or `static/`. The old
 * server always shuts down in order before the new server starts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './runtime.js';

/** How long to wait after a change for further changes: an editor that saves causes several events. */
const SETTLE_MS = 100;

/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
let isEnding = false;
let isRestarting = false;
/** @type {NodeJS.Timeout | undefined} */
let timer;

function start() {
  server = spawn(process.execPath, ['--import', 'tsx', join('src', 'server.ts'), ...process.argv.slice(2)], {
    cwd: projectFolder,
    stdio: 'inherit',
  });
  server.once('exit', (code) => {
    server = undefined;
    if (isEnding) {
      process.exit(code ?? 1);
    } else if (!isRestarting) {
      console.error(`The server has ended with ${code}: it starts again after the next change`);
    }
  });
}

async function restart() {
  if (isRestarting || isEnding) {
    return;
  }
  isRestarting = true;
  if (server !== undefined) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  isRestarting = false;
  start();
}

/** @param {boolean} isTold - Whether the server has received the signal itself. */
function end(isTold) {
  if (isEnding) {
    return;
  }
  isEnding = true;
  if (server === undefined) {
    process.exit(0);
  } else if (!isTold) {
    server.kill('SIGTERM');
  }
}

process.on('SIGINT', () => end(true)); // a terminal sends it to the whole process group
process.on('SIGTERM', () => end(false));
process.on('SIGHUP', () => end(false));
for (const folder of ['src', 'static']) {
  watch(join(projectFolder, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void restart(), SETTLE_MS);
  });
}
start();
