/** Changes one place in a copy of the project, and runs tests in the copy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { copyParts, testEnvironment } from './project.ts';
import { splitAt } from './sources.ts';

export interface Mutation {
  readonly file: string;
  /** The text to replace, which occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly testFile: string;
}

/** `skipped` maps the title of each skipped test to the reason for skipping the test. */
type Verdicts = Record<'passed' | 'failed', string[]> & Record<'skipped', Map<string, string>>;

export const WHOLE_PROJECT = [
  'README.md', 'package.json', 'package-lock.json', 'tsconfig.json',
  'src', 'static', 'scripts', 'test', 'dist',
];

/** If a mutation removes a limit from the source, some tests never end. */
const TEST_TIMEOUT_MS = 30_000;
/** A failed test can keep its process running. */
const PROCESS_TIMEOUT_MS = 120_000;

export async function withCopy<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const cleanups: (() => unknown)[] = [];
  try {
    return await use(copyParts({ after: (clean) => cleanups.push(clean) }, ...WHOLE_PROJECT));
  } finally {
    cleanups.forEach((clean) => clean());
  }
}

/** @throws Error if the text to change does not occur exactly once in the source. */
export function mutate(source: string, { file, find, replace }: Omit<Mutation, 'testFile'>): string {
  const [before, after] = splitAt(source, find, file);
  return before + replace + after;
}

export async function withMutation<Result>(
  folder: string, mutation: Mutation, use: () => Promise<Result>,
): Promise<Result> {
  const path = join(folder, mutation.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(source, mutation));
  try {
    return await use();
  } finally {
    writeFileSync(path, source);
  }
}

const VERDICT = /^(ok|not ok) \d+ - (.*?)(?: # SKIP ?(.*)| # TODO.*)?$/gm;

/** @param titles - By default, all tests run. @throws Error if no test ran. */
export async function runTests(
  folder: string, testFile: string, titles: readonly string[] = [],
): Promise<Verdicts> {
  const patterns = titles.map((title) => `--test-name-pattern=^${escapePattern(title)}$`);
  const options = ['--import', 'tsx', '--test-reporter=tap', `--test-timeout=${TEST_TIMEOUT_MS}`];
  const child = spawn(process.execPath, [...options, ...patterns, testFile], {
    cwd: folder, env: testEnvironment, timeout: PROCESS_TIMEOUT_MS,
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (!/^(not )?ok \d/m.test(output)) {
    throw new Error(`No test ran: ${errors || 'none has such a title'}`);
  }
  const verdicts: Verdicts = { passed: [], failed: [], skipped: new Map() };
  for (const [, verdict, escaped = '', reason] of output.matchAll(VERDICT)) {
    // In titles, TAP escapes some characters. Titles can be in any Unicode normalization form.
    const title = escaped.replace(/\\(.)/g, '$1').normalize('NFC');
    if (reason !== undefined) {
      verdicts.skipped.set(title, reason);
    } else {
      verdicts[verdict === 'ok' ? 'passed' : 'failed'].push(title);
    }
  }
  return verdicts;
}

function escapePattern(title: string): string {
  return title.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
