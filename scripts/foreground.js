import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const WATCH_EVERY_MS = 200;

/**
 * Runs a command, and ends the command when the parent of this process ends. The parent is a shell that npm
 * starts. A SIGTERM to npm ends npm and the shell, but not this process. So a timer checks whether this
 * process has a new parent. The shell command `exec` is no solution, because `exec` does not work on Windows.
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
    isAsked = true; // Ctrl-C in a terminal also sends SIGINT to the child
  });
  process.on('SIGTERM', end);
  // After SIGHUP (a closed terminal), the child gets SIGTERM, because SIGHUP does not end every program.
  process.on('SIGHUP', end);
  setInterval(() => process.ppid === parent || end(), WATCH_EVERY_MS).unref();
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}
