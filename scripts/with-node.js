/**
 * Runs `node ARGUMENTS…` with a Node.js that is recent enough and with the development packages installed, fetching
 * either where it is missing: `node scripts/with-node.js dist/server.js`. Every script of package.json goes through here.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { findNode } from './runtime.js';
import { installPackages } from './setup.js';

try {
  const node = findNode();
  installPackages();
  run(node, process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/**
 * Runs the command in the foreground and ends as it ends.
 *
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
function run(program, programArguments) {
  const child = spawn(program, programArguments, { stdio: 'inherit' });
  process.on('SIGINT', () => {}); // a terminal sends it to the whole process group, so the child has its own
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}
