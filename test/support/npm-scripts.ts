import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { createFolder, launch } from './programs.ts';
import { projectFolder } from './project.ts';
import { until } from './until.ts';

export const skipWithoutProc = !existsSync('/proc/self/environ') && 'processes are found in /proc';

export const offline = (cache: string) => ({
  npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: cache, npm_config_fetch_retries: '0',
});

/** Finds processes with the text `mark` in their environment. Child processes inherit the environment. */
export function findProcesses(mark: string): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // the process has ended, or belongs to another user
    }
  }).map(Number);
}

export function untilNoneIsLeft(mark: string): Promise<void> {
  return until(() => findProcesses(mark).length === 0, 50);
}

/**
 * Starts a command in a new session, as a terminal does. With the returned `mark`, `findProcesses` finds the
 * processes of the command.
 */
export function launchMarked(
  t: TestContext, command: readonly string[], environment: Readonly<Record<string, string>> = {},
) {
  const id = randomUUID();
  const server = launch(t, command, {
    ...process.env, DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, ...environment,
    ROLLCALL_TEST_MARK: id,
  }, { cwd: projectFolder, detached: true });
  const mark = `ROLLCALL_TEST_MARK=${id}`;
  t.after(() => findProcesses(mark).forEach((pid) => process.kill(pid, 'SIGKILL')));
  return { ...server, mark };
}
