import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns The reason to skip a test, or `false`. @throws Error if a command is missing and `CI` is set. */
export function skipWithout(...commands: readonly string[]): string | false {
  return findObstacle(() => commands.forEach((command) => findCommand(command)));
}

/** If `find` fails, returns the reason to skip a test. If `CI` is set, throws an error instead. */
export function findObstacle(find: () => unknown): string | false {
  try {
    find();
    return false;
  } catch (error) {
    if (process.env['CI']) {
      throw new Error('Tests must not be skipped where CI is set', { cause: error });
    }
    return error instanceof Error ? error.message : String(error);
  }
}

/** @param names - Alternative names of one command. @throws Error if the command is missing. */
export function findCommand(...names: readonly string[]): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = paths.find((path) => existsSync(path));
  assert(found !== undefined, `there is no ${names.join(' or ')} on PATH (packages: .ci/run)`);
  return found;
}

export function mustRun(command: string, words: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, { ...options, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${words.join(' ')}: ${error ?? stdout + stderr}`);
  return stdout;
}
