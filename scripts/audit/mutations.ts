/**
 * `npm run audit -- --mutations`: takes each part of each protection out of a copy of the project, and finds
 * whether the named test notices. A test that passes in any case proves nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Protection, Removal } from '../../test/protections/protection.ts';
import { runTests, withCopy, withMutation } from '../../test/support/mutants.ts';

/** Each takes a core: a process of tests, or the compiler. */
const COPIES = 2;

/** Something to find out in one of the copies. */
interface Check {
  readonly title: string;
  /** @returns Each fault, to complete a sentence about the check. */
  readonly findFaults: (folder: string) => Promise<readonly string[]>;
}

/**
 * @param print - Takes a line of progress.
 * @returns The number of checks, and of those that found a fault.
 */
export async function auditMutations(
  protections: readonly Protection[], print: (line: string) => void,
): Promise<{ readonly checks: number; readonly failed: number }> {
  const removals = protections.flatMap(({ wants, mutations }) =>
    mutations.map((removal) => ({ wants, removal })),
  );
  const byTestFile = Map.groupBy(removals, ({ removal }) => removal.testFile);
  const checks: readonly Check[] = [
    ...Array.from(byTestFile, ([testFile, named]) => ({
      title: `${testFile} passes without a change`,
      findFaults: (folder: string) => findFailures(
        folder, testFile, [...new Set(named.map(({ removal }) => removal.title))],
      ),
    })),
    ...removals.map(({ wants, removal }) => ({
      title: `"${wants}": ${removal.testFile} notices a change of ${removal.file}`,
      findFaults: (folder: string) => findSurvival(folder, removal),
    })),
  ];
  return { checks: checks.length, failed: await runAll(checks, print) };
}

/** Runs the checks, one after the other in each copy. @returns The number of those that found a fault. */
async function runAll(checks: readonly Check[], print: (line: string) => void): Promise<number> {
  const waiting = checks.entries();
  let failed = 0;
  await Promise.all(Array.from({ length: COPIES }, () => withCopy(async (folder) => {
    for (const [index, { title, findFaults }] of waiting) {
      const beganAtMs = performance.now();
      const faults = await findFaults(folder).catch((error: Error) => [error.message]);
      const seconds = ((performance.now() - beganAtMs) / 1000).toFixed(1);
      failed += faults.length > 0 ? 1 : 0;
      print(`${faults.length > 0 ? '✖' : '✔'} ${index + 1}/${checks.length} ${title} (${seconds} s)`);
      faults.forEach((fault) => print(`    ${fault}`));
    }
  })));
  return failed;
}

async function findFailures(
  folder: string, testFile: string, titles: readonly string[],
): Promise<readonly string[]> {
  const { passed, skipped } = await runTests(folder, testFile, titles);
  const missing = titles.filter((title) => !passed.includes(title) && !isAllowed(title, skipped));
  return missing.map((title) => `"${title}" does not pass without any change`);
}

async function findSurvival(folder: string, removal: Removal): Promise<readonly string[]> {
  const { testFile, title } = removal;
  const { failed, skipped } = await withMutation(folder, removal, async () => {
    await build(folder);
    return runTests(folder, testFile, [title]);
  });
  return failed.includes(title) || isAllowed(title, skipped)
    ? []
    : [`"${title}" does not fail after "${removal.find}" becomes "${removal.replace}"`];
}

/** A test is skipped where a program is missing, such as a browser. CI has all of them. */
function isAllowed(title: string, skipped: readonly string[]): boolean {
  return process.env['CI'] === undefined && skipped.includes(title);
}

/** Builds what tests of programs run, also with mistakes in types: a mutation may leave a name unused. */
async function build(folder: string): Promise<void> {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--project', 'src', '--outDir', 'dist', '--noEmitOnError', 'false'];
  const compiling = spawn(process.execPath, [compiler, ...options], { cwd: folder, stdio: 'ignore' });
  await once(compiling, 'exit');
}
