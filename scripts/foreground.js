/** Runs a command almost as if it replaced this process. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const WATCH_EVERY_MS = 200;

/**
 * Runs a command, and ends the command when the parent of this process ends. The parent is a shell that npm
 * starts. SIGTERM to npm ends the shell, but does not reach this process. Therefore this process checks
 * whether its parent has changed. (`exec` in package.json does not work on Windows.)
 *
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
export function runInForeground(program, programArguments) {
  const parent = process.ppid;
  const child = spawn(program, programArguments, { stdio: 'inherit' });
  let isAsked = false;

  function end() {
    if (!isAsked) {
      isAsked = true;
      child.kill('SIGTERM');
    }
  }

  process.on('SIGINT', () => {
    isAsked = true; // a terminal sends SIGINT to the child as well
  });
  process.on('SIGTERM', end);
  // The terminal was closed. The child gets SIGTERM, because it may give SIGHUP another meaning.
  process.on('SIGHUP', end);
  setInterval(() => process.ppid === parent || end(), WATCH_EVERY_MS).unref();
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}
