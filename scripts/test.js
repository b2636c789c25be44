/**
 * `npm test`: builds, then runs the tests, or those that are named: `npm test -- test/http/range.test.ts`. Some tests run
 * the programs in `dist/`, as users do. What depends on the database runs a second time on a cluster of three nodes.
 *
 * Then come the tests in a browser.
 *
 * `npm test -- --embedded` runs the first part only, which works offline, `npm test -- --cluster [FILE…]` the second, and
 * `npm run test:browser [-- FILE…]` the third.
 * `npm run test:faults [-- FILE…]` runs the tests of faults in their long form.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAxe } from './axe.js';
import { build } from './build.js';
import { HASTY, startNodes } from './nodes.js';
import { findRqlited } from './rqlited.js';
import { projectFolder } from './runtime.js';

const TESTS = ['test/*.test.ts', 'test/!(cluster|browser)/**/*.test.ts'];
const CLUSTER_TESTS = ['test/database/create-schema.test.ts', 'test/stores/*.test.ts', 'test/api/*.test.ts', 'test/faults/rolling-restart.test.ts', 'test/cluster/*.test.ts'];
const FAULT_TESTS = ['test/faults/*.test.ts'];
const BROWSER_TESTS = ['test/browser/**/*.test.ts'];
const FILES_AT_ONCE = 2;

build();
const [first, ...others] = process.argv.slice(2);
if (first === '--cluster') {
  process.exitCode = await runOnCluster(others.length > 0 ? others : CLUSTER_TESTS);
} else if (first === '--embedded') {
  process.exitCode = await run(TESTS, FILES_AT_ONCE);
} else if (first === '--browser') {
  process.exitCode = await runInBrowser(others.length > 0 ? others : BROWSER_TESTS);
} else if (first === '--faults') {
  process.exitCode = await run(others.length > 0 ? others : FAULT_TESTS, 1, { FAULTS: 'full' });
} else if (first !== undefined) {
  process.exitCode = await run([first, ...others], FILES_AT_ONCE);
} else {
  process.exitCode = (await run(TESTS, FILES_AT_ONCE)) || (await runOnCluster(CLUSTER_TESTS)) || (await runInBrowser(BROWSER_TESTS));
}

/** @param {readonly string[]} tests */
async function runOnCluster(tests) {
  const reason = findObstacle(findRqlited);
  if (reason !== undefined) {
    console.error(`There is no cluster to test on: ${reason}`);
    return run(tests.filter((test) => test.startsWith('test/cluster/')), FILES_AT_ONCE); // which says what is skipped
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
  const reason = findObstacle(findAxe); // once, before several files ask for it
  if (reason !== undefined) {
    console.error(`There is nothing to judge accessibility with: ${reason}`);
  }
  console.log('The tests in a browser:');
  return run(tests, FILES_AT_ONCE); // which says what is skipped, and why
}

/** @param {() => void} find - Throws where something cannot be had. */
function findObstacle(find) {
  try {
    find();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {readonly string[]} tests - Files, or patterns.
 * @param {number} filesAtOnce
 * @param {Readonly<Record<string, string>>} environment - Besides that of this process.
 * @returns {Promise<number>} The exit code.
 */
async function run(tests, filesAtOnce, environment = {}) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--test', '--test-reporter=spec', `--test-concurrency=${filesAtOnce}`, ...tests],
    { cwd: projectFolder, stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  process.on('SIGINT', () => {}); // a terminal sends it to the tests as well
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
