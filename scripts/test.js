/**
 * `npm test`: builds, then runs the tests, or those that are named: `npm test -- test/http/range.test.ts`. Some tests run
 * the programs in `dist/`, as users do.
 */
import { spawnSync } from 'node:child_process';
import { build } from './build.js';
import { projectFolder } from './runtime.js';

const ALL_TESTS = 'test/**/*.test.ts';
const FILES_AT_ONCE = 2;

build();
const chosen = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--test', '--test-reporter=spec', `--test-concurrency=${FILES_AT_ONCE}`, ...(chosen.length > 0 ? chosen : [ALL_TESTS])],
  { cwd: projectFolder, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
