/** Runs scripts of package.json through npm, like people, and finds the processes that they leave. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createFolder } from './programs.ts';
import { projectFolder } from './project.ts';

export const skipWithoutProc = !existsSync('/proc/self/environ') && 'processes are found in /proc';

/** The processes with a mark in their environment, which they inherit. */
export function findProcesses(mark: string): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // the process has ended, or belongs to another user
    }
  }).map(Number);
}

export async function untilNoneIsLeft(mark: string): Promise<void> {
  while (findProcesses(mark).length > 0) {
    await pause(50);
  }
}

/** Starts a command as a terminal or a service manager does, and waits for a text in its log. */
export async function launch(
  t: TestContext,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  firstWord = 'listening',
) {
  const mark = `ROLLCALL_TEST_MARK=${randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const [program = '', ...programArguments] = command;
  const child = spawn(program, programArguments, {
    cwd: projectFolder,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`,
      ...environment,
      [name]: value,
    },
  });
  t.after(() => findProcesses(mark).forEach((pid) => process.kill(pid, 'SIGKILL')));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const untilLogged = async (message: string, times = 1) => {
    while (lines.filter((line) => line.includes(message)).length < times) {
      assert.equal(child.exitCode, null, lines.join('\n'));
      await pause(20);
    }
  };
  await untilLogged(firstWord);
  return { child, mark, lines, untilLogged };
}
