/** `npm test`: builds first, because some tests run the built programs, as users do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrEnd } from './build.js';
import { PATIENT, startNodes } from './nodes.ts';
import { projectFolder } from './runtime.js';
import { findTool } from './tools.ts';

const USAGE = `Usage: npm test [-- [PART] [FILE…]]

Builds, then runs the usual tests, or only the named files: npm test -- test/http/target.test.ts
Options of node --test may come first: npm test -- --test-name-pattern=token test/api/*.test.ts

Parts:
  --embedded   all tests except --cluster and --browser; works offline
  --cluster    the tests of the database driver and of the API, on clusters of three nodes
  --browser    the tests of the pages in a browser; the same as npm run test:browser [-- FILE…]
  --all        the three parts above, as in CI; a part that fails does not stop the next part
  --faults     only the tests of faults, in their long form; the same as npm run test:faults [-- FILE…]
Without arguments, the usual files of --embedded, --cluster and --browser run.

Exit codes: 0 if all tests passed, 64 if the arguments are wrong, otherwise the exit code of the first part
that failed.`;

/** This number exceeds the number of cores, because tests often wait. */
const FILES_AT_ONCE = availableParallelism() + 2;
/** Each cluster serves one test file at a time, and mostly waits for disks. */
const CLUSTERS = 3;
/** On a busy machine, a correct test can need almost 20 minutes. */
const TIMEOUT = '--test-timeout=1200000';

interface Part {
  /** Decides whether this part runs a test file. Not called if the command line lists files. */
  readonly has: (file: string) => boolean;
  /** Without arguments, `npm test` runs only the test files whose paths match this pattern. */
  readonly usual?: RegExp;
  readonly run: (title: string, files: readonly string[]) => Promise<number>;
}

/** Matches all test files except the files with slow tests. */
const USUAL_EMBEDDED = new RegExp(
  '^test/(?!without-|walk/exercises|extras/admin/(add-users|data-commands|foreign-files)'
    + '|faults/(fair-reads|growth|hostile|locked|rolling-restart|upgrade)'
    + '|scripts/(audit|bench|container|exercise|package))',
);

/** Matches no slow tests. One file of API tests is enough, because all API tests use the same stores. */
const USUAL_ON_CLUSTERS = new RegExp(
  '^test/(stores/(?!hostile|listed-projects|refusals)|extras/audit/|api/03-'
    + '|cluster/(consistency|contract|faults|lost-answers|start)\\.)',
);

const USUAL_IN_BROWSER = /^test\/browser\/(console\/sign-in|cross-origin|pages)\./;

const PARTS: Readonly<Record<string, Part>> = {
  '--embedded': {
    has: (file) => !/^test\/(cluster|browser)\//.test(file),
    usual: USUAL_EMBEDDED,
    run,
  },
  '--cluster': {
    has: (file) =>
      /^test\/(api|cluster|stores|extras\/audit)\//.test(file)
      || file.startsWith('test/faults/rolling-restart.'),
    usual: USUAL_ON_CLUSTERS,
    run: runOnClusters,
  },
  '--browser': {
    has: (file) => file.startsWith('test/browser/'),
    usual: USUAL_IN_BROWSER,
    run: runInBrowser,
  },
  '--faults': {
    has: (file) => /^test\/(faults\/|cluster\/(faults|partitions)\.)/.test(file),
    run: runFaults,
  },
};

/** The counts and times of all runs together. */
const total: { readonly counts: Record<string, number>; readonly times: [string, number][] } = {
  counts: {}, times: [],
};
const reportFolder = mkdtempSync(join(tmpdir(), 'rollcall-report-'));
process.once('exit', () => rmSync(reportFolder, { recursive: true, force: true }));
let runs = 0;
let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true; // Ctrl-C in a terminal also sends SIGINT to the test processes
});

const [first, ...others] = process.argv.slice(2);
const part = PARTS[first ?? ''];
if (first === '--help' || first === '-h') {
  console.log(USAGE);
} else if (first?.startsWith('-') && part === undefined && !/^--(all$|test-)/.test(first)) {
  console.error(`Unknown argument "${first}": see npm test -- --help`);
  process.exitCode = 64;
} else {
  buildOrEnd();
  if (part !== undefined) {
    process.exitCode = await part.run(first?.slice(2) ?? '', others.length > 0 ? others : filesOf(part));
    showTotal('');
  } else if (first === undefined || first === '--all') {
    process.exitCode = await runAll(first === '--all');
  } else { // runs the named files with the full report of node --test
    const tests = ['--test-reporter=spec', `--test-concurrency=${FILES_AT_ONCE}`, first, ...others];
    process.exitCode = await startRunner(tests, {});
  }
}

function filesOf({ has }: Part): readonly string[] {
  return readdirSync(join(projectFolder, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && has(file))
    .sort();
}

/**
 * The part `--embedded` runs alone, because some of its tests measure memory. The parts `--cluster` and
 * `--browser` run together, because a browser can compute while a cluster waits for disks.
 */
async function runAll(isComplete: boolean): Promise<number> {
  const verdicts = [await runPart('--embedded', isComplete)];
  if (!isInterrupted) {
    verdicts.push(...await Promise.all(['--cluster', '--browser'].map((name) => runPart(name, isComplete))));
  }
  showTotal(`\nAll parts together: ${verdicts.map(({ text }) => text).join(', ')}`);
  return findFailure(verdicts.map(({ code }) => code));
}

async function runPart(name: string, isComplete: boolean) {
  const part = PARTS[name] as Part;
  const all = filesOf(part);
  const files = isComplete ? all : all.filter((file) => part.usual?.test(file) ?? true);
  const title = name.slice(2);
  const code = await part.run(title, files);
  const share = files.length < all.length ? ` (${files.length} of ${all.length} files)` : '';
  return { code, text: `${title} ${code === 0 ? 'passed' : 'FAILED'}${share}` };
}

/** Prints the total counts in the form in which `node --test` prints counts. */
function showTotal(verdict: string): void {
  const slowest = total.times.toSorted(([, left], [, right]) => right - left).slice(0, 10);
  console.log('\nThe slowest files, in seconds:');
  slowest.forEach(([file, ms]) => console.log(`${(ms / 1000).toFixed(1).padStart(7)}  ${file}`));
  console.log(verdict);
  for (const [name, count] of Object.entries({ ...total.counts, duration_ms: performance.now() })) {
    console.log(`ℹ ${name} ${count}`);
  }
}

async function runFaults(title: string, files: readonly string[]): Promise<number> {
  const isOnCluster = (file: string) => file.startsWith('test/cluster/');
  return findFailure([
    await run(title, files.filter((file) => !isOnCluster(file)), { FAULTS: 'full' }, 1),
    await runOnClusters(`${title} on clusters`, files.filter(isOnCluster), { FAULTS: 'full' }),
  ]);
}

async function runOnClusters(
  title: string, files: readonly string[], environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  try {
    findTool('rqlited');
  } catch (error) { // if no cluster starts, tests on clusters are skipped
    console.error(`There is no cluster to test on: ${error instanceof Error ? error.message : error}`);
    return run(title, files.filter((file) => file.startsWith('test/cluster/')));
  }
  const lanes = Array.from({ length: CLUSTERS }, (_, lane) => files.filter((_, at) => at % CLUSTERS === lane))
    .filter((lane) => lane.length > 0);
  return findFailure(await Promise.all(lanes.map(async (lane, index) => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
    const nodes = await startNodes(folder, PATIENT);
    try {
      const variables = { ...environment, TEST_DATABASE_URL: nodes.url };
      return await run(`${title} ${index + 1}`, lane, variables, 1);
    } finally {
      await nodes.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  })));
}

/** Several test files need axe-core at the same time, so axe-core is fetched first. */
function runInBrowser(title: string, files: readonly string[]): Promise<number> {
  try {
    findTool('axe');
  } catch {} // each test file reports why it skips its tests
  return run(title, files);
}

function findFailure(codes: readonly number[]): number {
  return codes.find((code) => code !== 0) ?? 0;
}

async function run(
  title: string, files: readonly string[], environment: Readonly<Record<string, string>> = {},
  filesAtOnce = FILES_AT_ONCE,
): Promise<number> {
  if (files.length === 0) {
    return 0;
  }
  runs += 1;
  const output = join(reportFolder, `${runs}.json`);
  const reporter = new URL('test-report.ts', import.meta.url).href;
  const code = await startRunner(
    [`--test-reporter=${reporter}`, `--test-concurrency=${filesAtOnce}`, ...files],
    { ...environment, TEST_REPORT: JSON.stringify({ title, files: files.length, output }) },
  );
  addReport(output);
  return code;
}

async function startRunner(
  programArguments: readonly string[], environment: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--test', TIMEOUT, ...programArguments], {
    cwd: projectFolder, stdio: 'inherit', env: { ...process.env, ...environment },
  });
  process.once('SIGTERM', () => {
    isInterrupted = true;
    child.kill('SIGTERM');
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** @param output - The file is missing if the run was killed. */
function addReport(output: string): void {
  if (!existsSync(output)) {
    total.counts['fail'] = (total.counts['fail'] ?? 0) + 1;
    return;
  }
  const { counts, times } = JSON.parse(readFileSync(output, 'utf8'));
  total.times.push(...times);
  for (const [name, count] of Object.entries(counts)) {
    total.counts[name] = (total.counts[name] ?? 0) + Number(count);
  }
}
