/** Tests commands that take no arguments. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { projectFolder } from '../../scripts/runtime.js';

for (const name of ['cluster.ts', 'docs.ts', 'package.ts']) {
  const run = (argument: string) => spawnSync(process.execPath, [
    '--import', 'tsx', `scripts/${name}`, argument,
  ], { cwd: projectFolder, encoding: 'utf8' });

  test(`scripts/${name} --help prints the usage and exits with 0`, () => {
    const { status, stdout } = run('--help');
    assert.match(stdout, /^Usage: npm run \w+\n/);
    assert.equal(status, 0);
  });

  test(`scripts/${name} refuses an argument with 64`, () => {
    const { status, stderr } = run('--fast');
    assert.match(stderr, /^Unknown argument "--fast"\n\nUsage: /);
    assert.equal(status, 64);
  });
}
