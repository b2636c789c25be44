/**
 * `npm run check`: checks before a commit, also offline. It checks the types, and runs all tests except those
 * on a cluster, which only `npm test` runs. One of the tests is the audit, which builds twice and walks
 * through every route.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from './runtime.js';

for (const [title, ...programArguments] of [
  ['types', join('node_modules', 'typescript', 'bin', 'tsc')],
  ['tests', join('scripts', 'test.js'), '--embedded'],
]) {
  console.log(`check: ${title}`);
  const { status } = spawnSync(process.execPath, programArguments, { cwd: projectFolder, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`check failed: ${title} (exit code ${status})`);
    process.exitCode = 1;
    break;
  }
}
