import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { mustRun } from '../support/commands.ts';
import { offline } from '../support/npm-scripts.ts';
import { copyParts } from '../support/project.ts';

/** This user cannot write to files of other users. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const createClone = (t: TestContext) =>
  copyParts(t, 'package.json', 'tsconfig.json', 'scripts', 'src', 'static');

function askVersion(folder: string, nodeArguments: readonly string[] = [], environment = {}) {
  const programArguments = ['scripts/with-node.js', 'scripts/program.js', 'server.js', '--version'];
  return spawnSync(process.execPath, [...nodeArguments, ...programArguments], {
    cwd: folder, encoding: 'utf8', ...OTHER_USER, env: { PATH: process.env['PATH'], ...environment },
  });
}

test('a first start with an old Node.js and no network prints in one line what to install', (t) => {
  const folder = createClone(t);
  chmodSync(folder, 0o777);
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;
  const module = `data:text/javascript,${encodeURIComponent(pretend)}`;
  const { status, stderr } = askVersion(folder, ['--import', module], {
    ...offline(join(folder, 'cache')), HOME: folder,
  });
  assert.equal(status, 1);
  assert.match(stderr, /^Node\.js 20\.20\.2 is older than 22\.16\.0: fetching .* into \.node\/ \(once\)\n/);
  assert.match(stderr, /\nnpm install failed \(E[A-Z]+\): install Node\.js 22\.16\.0 or later\n$/);
  assert.doesNotMatch(stderr, /npm error|    at /);
});

test('in a read-only folder a finished build runs, and a start without a build prints a remedy', (t) => {
  const folder = createClone(t);
  chmodSync(folder, 0o555);
  const { status, stdout, stderr } = askVersion(folder);
  assert.deepEqual([status, stdout], [1, '']);
  const advice = 'run the same command once as the owner of this folder';
  assert.equal(stderr, `Cannot install or build in ${folder}/ (EACCES): ${advice}\n`);
  chmodSync(folder, 0o755);
  mustRun(process.execPath, ['scripts/build.js'], { cwd: folder });
  chmodSync(folder, 0o555);
  const built = askVersion(folder);
  chmodSync(folder, 0o755); // the cleanup of the test cannot remove a read-only folder
  assert.match(built.stdout, /^\d+\.\d+\.\d+\n$/);
});
