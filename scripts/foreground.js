/**
 * Runs a command in place of this process, as far as Node.js can. The command has the terminal and gets the
 * signals, and this process exits with the exit code of the command.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const WATCH_EVERY_MS = 200;

/**
 * Runs a command, and ends it when the parent of this process ends. npm starts a shell, and SIGTERM ends that
 * shell without reaching this process. So this process watches whether its parent changes. (`exec` in
 * package.json would not work on Windows.)
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
    isAsked = true; // a terminal sends the signal to the whole process group, so the child has received it
  });
  process.on('SIGTERM', end);
  process.on('SIGHUP', end); // the terminal was closed: SIGHUP alone may mean something else to a service
  setInterval(() => process.ppid === parent || end(), WATCH_EVERY_MS).unref();
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}
