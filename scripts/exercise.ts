/** `npm run exercise`: runs an exercise of the walk. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { exercises, type Exercise } from '../test/walk/exercises.ts';
import { toDiff } from '../test/walk/page.ts';
import { mutate } from '../test/support/mutants.ts';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run exercise N

Makes the change of exercise N in test/walk/README.md, and runs the tests of the exercise. Shows each test
that fails, with the line that failed and the reason. Then undoes the change, even after Ctrl-C.

Exit codes: 0 if exactly the expected tests failed; 1 if other tests failed, or if the source file of the
exercise already had changes; 64 if the arguments are wrong.`;

const MESSAGE_LINES_MAX = 6;

interface Failure {
  readonly title: string;
  readonly error: Error;
}

const [argument = '', ...others] = process.argv.slice(2);
const exercise = exercises[Number(argument) - 1];
if (argument === '--help') {
  console.log(USAGE);
} else if (exercise === undefined || others.length > 0) {
  console.error(`Expected the number of an exercise, from 1 to ${exercises.length}\n\n${USAGE}`);
  process.exitCode = 64;
} else if (hasChanges(exercise.file)) {
  console.error(`${exercise.file} has changes. If another exercise runs, wait until it ends.
Otherwise commit the changes, or undo the changes with git checkout.`);
  process.exitCode = 1;
} else {
  process.exitCode = await tryOut(exercise);
}

/** Without the program `git`, or outside a git repository, the result is false. */
function hasChanges(file: string): boolean {
  const options = { cwd: projectFolder, encoding: 'utf8' } as const;
  return (spawnSync('git', ['status', '--porcelain', '--', file], options).stdout ?? '') !== '';
}

async function tryOut(exercise: Exercise): Promise<number> {
  const path = join(projectFolder, exercise.file);
  const source = readFileSync(path, 'utf8');
  const changed = mutate(source, exercise);
  const { line, diff } = toDiff(source, exercise);
  process.once('exit', () => {
    writeFileSync(path, source);
    console.log(`\nThe change of ${exercise.file} is undone`);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(1));
  }
  writeFileSync(path, changed);
  console.log(`${exercise.title}\n\n${exercise.file}:${line}\n${diff}\n\nRunning ${exercise.testFile} …\n`);
  const failures = await runTests(exercise.testFile);
  failures.forEach(show);
  console.log(exercise.why);
  const titles = failures.map(({ title }) => title);
  // Unicode can encode some letters in two ways, so both lists are normalized before the comparison.
  if (titles.join('\n').normalize() !== exercise.failing.join('\n').normalize()) {
    console.log(`\nExpected to fail:\n${exercise.failing.map((title) => `  ${title}`).join('\n')}`);
    return 1;
  }
  console.log(`\nExactly the expected tests failed: ${titles.length} in ${exercise.testFile}`);
  return 0;
}

async function runTests(testFile: string): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const stream = run({
    files: [join(projectFolder, testFile)], execArgv: ['--import', 'tsx'], timeout: 30_000,
  });
  for await (const { type, data } of stream) {
    if (type === 'test:fail' && data.nesting === 0) {
      const { error } = data.details;
      failures.push({ title: data.name, error: error.cause instanceof Error ? error.cause : error });
    }
  }
  return failures;
}

function show({ title, error }: Failure): void {
  const message = error.message.split('\n').filter((line) => line.trim() !== '');
  const rest = message.length > MESSAGE_LINES_MAX ? ['…'] : [];
  const shown = [`✖ ${title}`, ...toPlace(error), ...message.slice(0, MESSAGE_LINES_MAX), ...rest];
  console.log(`${shown.join('\n    ')}\n`);
}

/** @returns The topmost stack frame in a test file, or else in any other file. */
function toPlace({ stack = '' }: Error): readonly string[] {
  const frames = [...stack.matchAll(/((?:file:\/\/)?[^\s()]*\/(?:test|src)\/[^\s()]*\.ts):(\d+):\d+/g)];
  const [, file, line] = frames.find(([frame]) => /\/test\/(?!support\/)/.test(frame)) ?? frames[0] ?? [];
  if (file === undefined) {
    return [];
  }
  const path = file.replace(/^file:\/\//, '');
  const text = readFileSync(path, 'utf8').split('\n')[Number(line) - 1] ?? '';
  return [`${relative(projectFolder, path)}:${line}  ${text.trim()}`];
}
