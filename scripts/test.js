/** `npm test`: see USAGE. Some tests run the programs in `dist/`, as users do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrEnd } from './build.js';
import { HASTY, startNodes } from './nodes.js';
import { projectFolder } from './runtime.js';
import { findTool } from './tools.js';

const USAGE = `Usage: npm test [-- [PART] [FILE…]]

Builds, then runs the tests, or those that are named: npm test -- test/http/range.test.ts
Options of node --test may come first: npm test -- --test-name-pattern=token test/api/*.test.ts

Without arguments, all three parts run one after the other, also when one of them fails:
  --embedded   everything but the following two; works offline
  --cluster    what depends on the database, once more, on a cluster of three nodes
  --browser    the pages in a browser, also as npm run test:browser [-- FILE…]
  --faults     instead: the tests of faults in their long form, also as npm run test:faults [-- FILE…]

Exit codes: 0 all passed, 64 wrong arguments, else that of the first part that failed.`;

const FILES_AT_ONCE = 2;

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {readonly string[]} tests - The tests of the part, which run unless files are named.
 * @property {(tests: readonly string[]) => Promise<number>} run
 */

/** @type {Readonly<Record<string, Part>>} */
const PARTS = {
  '--embedded': {
    title: 'embedded',
    tests: ['test/*.test.ts', 'test/!(cluster|browser)/**/*.test.ts'],
    run: (tests) => run(tests, FILES_AT_ONCE),
  },
  '--cluster': {
    title: 'cluster',
    tests: [
      'test/database/create-schema.test.ts',
      'test/stores/*.test.ts',
      'test/api/*.test.ts',
      'test/faults/rolling-restart.test.ts',
      'test/cluster/*.test.ts',
    ],
    run: runOnCluster,
  },
  '--browser': { title: 'browser', tests: ['test/browser/**/*.test.ts'], run: runInBrowser },
  '--faults': {
    title: 'faults',
    tests: ['test/faults/*.test.ts'],
    run: (tests) => run(tests, 1, { FAULTS: 'full' }),
  },
};
const ALL_PARTS = Object.values(PARTS).filter(({ title }) => title !== 'faults');

/** The counts of the test runner, added up over all runs. @type {Record<string, number>} */
const totals = {};
const countsFolder = mkdtempSync(join(tmpdir(), 'rollcall-counts-'));
process.once('exit', () => rmSync(countsFolder, { recursive: true, force: true }));
let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true; // a terminal sends the signal to the tests as well
});

const [first, ...others] = process.argv.slice(2);
const part = PARTS[first ?? ''];
if (first === '--help' || first === '-h') {
  console.log(USAGE);
} else if (part !== undefined) {
  buildOrEnd();
  process.exitCode = await part.run(others.length > 0 ? others : part.tests);
} else if (first?.startsWith('-') && !first.startsWith('--test-')) {
  console.error(`Unknown argument "${first}": see npm test -- --help`);
  process.exitCode = 64;
} else if (first !== undefined) {
  buildOrEnd();
  process.exitCode = await run([first, ...others], FILES_AT_ONCE);
} else {
  buildOrEnd();
  process.exitCode = await runAll();
}

/** @returns {Promise<number>} The exit code of the first part that failed, or 0. */
async function runAll() {
  let firstCode = 0;
  const verdicts = [];
  for (const { title, tests, run } of ALL_PARTS) {
    if (isInterrupted) {
      break;
    }
    const code = await run(tests);
    firstCode ||= code;
    verdicts.push(`${title} ${code === 0 ? 'passed' : 'FAILED'}`);
  }
  console.log(`\nAll parts together: ${verdicts.join(', ')}`);
  for (const [name, count] of Object.entries(totals)) {
    console.log(`ℹ ${name} ${count}`); // in the form of the test runner
  }
  return firstCode;
}

/** @param {readonly string[]} tests */
async function runOnCluster(tests) {
  const reason = findObstacle('rqlited');
  if (reason !== undefined) {
    console.error(`There is no cluster to test on: ${reason}`);
    // The test runner then reports that the cluster tests are skipped.
    return run(tests.filter((test) => test.startsWith('test/cluster/')), FILES_AT_ONCE);
  }
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
  const nodes = await startNodes(folder, HASTY);
  try {
    console.log('The tests of the database, the stores and the API once more, on a cluster of three nodes:');
    return await run(tests, 1, { TEST_DATABASE_URL: nodes.url });
  } finally {
    await nodes.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} tests */
async function runInBrowser(tests) {
  const reason = findObstacle('axe'); // once, before several files fetch it
  if (reason !== undefined) {
    console.error(`There is nothing to judge accessibility with: ${reason}`);
  }
  console.log('The tests in a browser:');
  return run(tests, FILES_AT_ONCE); // the run says what is skipped, and why
}

/** @param {'axe' | 'rqlited'} tool @returns {string | undefined} Why the tool is missing. */
function findObstacle(tool) {
  try {
    findTool(tool);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {readonly string[]} tests - Files, or patterns.
 * @param {number} filesAtOnce
 * @param {Readonly<Record<string, string>>} environment - Variables besides those of this process.
 * @returns {Promise<number>} The exit code.
 */
async function run(tests, filesAtOnce, environment = {}) {
  const countsFile = join(countsFolder, 'counts.json');
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${new URL('test-counts.js', import.meta.url).href}`,
    `--test-reporter-destination=${countsFile}`,
  ];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--test', ...reporters, `--test-concurrency=${filesAtOnce}`, ...tests],
    { cwd: projectFolder, stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  process.once('SIGTERM', () => {
    isInterrupted = true;
    child.kill('SIGTERM');
  });
  const [code] = await once(child, 'exit');
  addCounts(countsFile);
  return code ?? 1;
}

/** @param {string} file - The counts of a run; a run that was killed leaves no file. */
function addCounts(file) {
  try {
    for (const [name, count] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
      totals[name] = (totals[name] ?? 0) + Number(count);
    }
  } catch {
    totals['fail'] = (totals['fail'] ?? 0) + 1;
  }
}
