/** Runs a command in the place of this process, as far as Node.js can: it has the terminal, gets the signals, and ends as it ends. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
export function runInForeground(program, programArguments) {
  const child = spawn(program, programArguments, { stdio: 'inherit' });
  process.on('SIGINT', () => {}); // a terminal sends it to the whole process group, so the child has its own
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}
