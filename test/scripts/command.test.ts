import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { projectFolder } from '../../scripts/runtime.js';

for (const [script, words, code, output] of [
  ...['audit', 'cluster', 'docs', 'package'].flatMap((name) => [
    [name, ['--help'], 0, new RegExp(`^Usage: npm run ${name}\\b`)],
    [name, ['--fast'], 64, /^Unknown (?:argument "--fast"\n\nUsage: |option '--fast')/],
  ] as const),
  ['audit', ['more'], 64, /^Unknown argument "more"/],
  ['audit', ['--mutations', 'guess fly'], 64, /No row has all the words "guess fly"[^]*\n  guess tokens\n/],
  ...[[], ['0'], ['11'], ['x'], ['1', '2']]
    .map((given) => ['exercise', given, 64, /^Expected the number of an exercise/] as const),
] as const) {
  test(`npm run ${script} -- ${words.join(' ')} exits with ${code}`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [
      '--import', 'tsx', `scripts/${script}.ts`, ...words,
    ], { cwd: projectFolder, encoding: 'utf8' });
    assert.match(code === 0 ? stdout : stderr, output);
    assert.equal(status, code);
  });
}
