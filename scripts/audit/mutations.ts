/**
 * `npm run audit -- --mutations`: makes the changes that the folder test/protections/ lists, one at a time,
 * in a copy of the project. Each change weakens a protection, and names a test that must then fail. A test
 * that still passes, or that is skipped, proves nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { toRemoval, type Protection, type Removal } from '../../test/protections/protection.ts';
import { runTests, withCopy, withMutation } from '../../test/support/mutants.ts';

/** The copies of the project are checked at the same time. Each copy keeps one core busy. */
const COPIES = 2;

interface Check {
  readonly title: string;
  readonly run: (folder: string) => Promise<Outcome>;
}

interface Outcome {
  readonly faults: readonly string[];
  /** The reason why the named test was skipped, for example because no browser is installed. */
  readonly skipped?: string | undefined;
}

export async function auditMutations(
  protections: readonly Protection[], print: (line: string) => void,
): Promise<{ readonly checks: number; readonly failed: number; readonly unchecked: number }> {
  const removals = protections.flatMap(({ wants, mutations }) =>
    mutations.map((row) => ({ wants, removal: toRemoval(row) })),
  );
  const byTestFile = Map.groupBy(removals, ({ removal }) => removal.testFile);
  const checks: readonly Check[] = [
    ...Array.from(byTestFile, ([testFile, named]) => ({
      title: `${testFile} passes without a change`,
      run: (folder: string) => findFailures(
        folder, testFile, [...new Set(named.map(({ removal }) => removal.title))],
      ),
    })),
    ...removals.map(({ wants, removal }) => ({
      title: `"${wants}": ${removal.testFile} notices a change of ${removal.file} (${removal.find})`,
      run: (folder: string) => findSurvival(folder, removal),
    })),
  ];
  return { checks: checks.length, ...await runAll(checks, print) };
}

/** In each copy of the project, one check runs at a time. */
async function runAll(checks: readonly Check[], print: (line: string) => void) {
  const waiting = checks.entries();
  const counts = { failed: 0, unchecked: 0 };
  await Promise.all(Array.from({ length: COPIES }, () => withCopy(async (folder) => {
    for (const [index, { title, run }] of waiting) {
      const beganAtMs = performance.now();
      const { faults, skipped }: Outcome =
        await run(folder).catch((error: Error) => ({ faults: [error.message] }));
      const seconds = ((performance.now() - beganAtMs) / 1000).toFixed(1);
      const mark = faults.length > 0 ? '✖' : skipped !== undefined ? '–' : '✔';
      counts.failed += mark === '✖' ? 1 : 0;
      counts.unchecked += mark === '–' ? 1 : 0;
      print(`${mark} ${index + 1}/${checks.length} ${title} (${seconds} s)`);
      faults.forEach((fault) => print(`    ${fault}`));
      if (skipped !== undefined) {
        print(`    not checked, because the test was skipped: ${skipped}`);
      }
    }
  })));
  return counts;
}

async function findFailures(
  folder: string, testFile: string, titles: readonly string[],
): Promise<Outcome> {
  const { passed, skipped } = await runTests(folder, testFile, titles);
  const missing = titles.filter((title) => !passed.includes(title));
  return {
    faults: missing.filter((title) => !skipped.has(title))
      .map((title) => `"${title}" does not pass without any change`),
    skipped: missing.map((title) => skipped.get(title)).find((reason) => reason !== undefined),
  };
}

async function findSurvival(folder: string, removal: Removal): Promise<Outcome> {
  const { testFile, title } = removal;
  const { failed, skipped } = await withMutation(folder, removal, async () => {
    await build(folder);
    return runTests(folder, testFile, [title]);
  });
  return failed.includes(title) || skipped.has(title)
    ? { faults: [], skipped: failed.includes(title) ? undefined : skipped.get(title) }
    : { faults: [`"${title}" does not fail after "${removal.find}" becomes "${removal.replace}"`] };
}

/** Builds `dist/` for tests that run programs. The build ignores type errors, such as unused names. */
async function build(folder: string): Promise<void> {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--project', 'src', '--outDir', 'dist', '--noEmitOnError', 'false'];
  const compiling = spawn(process.execPath, [compiler, ...options], { cwd: folder, stdio: 'ignore' });
  await once(compiling, 'exit');
}
