/** Makes a change in a copy of the sources and runs one file of tests there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectFolder } from '../support/pages.ts';
import type { Exercise } from './exercises.ts';

/**
 * @returns The titles of the tests that failed, in their order.
 * @throws Error when the text to change does not stand once in the file, or no test ran.
 */
export async function runExercise(
  { file, find, replace, testFile }: Pick<Exercise, 'file' | 'find' | 'replace' | 'testFile'>,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-exercise-'));
  try {
    ['src', 'test', 'package.json', 'tsconfig.json'].forEach((name) =>
      cpSync(join(projectFolder, name), join(folder, name), { recursive: true }),
    );
    ['node_modules', 'static', 'scripts', 'dist'].forEach((name) =>
      symlinkSync(join(projectFolder, name), join(folder, name)),
    );
    const source = readFileSync(join(folder, file), 'utf8');
    const [before = '', after, ...more] = source.split(find);
    if (after === undefined || more.length > 0) {
      throw new Error(`Expected "${find}" once in ${file}`);
    }
    writeFileSync(join(folder, file), before + replace + after);
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env; // or it would report to this process
    const child = spawn(process.execPath, ['--import', 'tsx', '--test-reporter=tap', testFile], {
      cwd: folder, env: environment,
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    if (!/^# tests [1-9]/m.test(output)) {
      throw new Error(`No test ran: ${errors}`);
    }
    const failed = [...output.matchAll(/^not ok \d+ - (.*)$/gm)];
    // TAP escapes some signs; tests have names in every form of Unicode.
    return failed.map(([, title = '']) => title.replace(/\\(.)/g, '$1').normalize('NFC'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
