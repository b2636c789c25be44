import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { offline } from '../support/npm-scripts.ts';
import { copyParts, testEnvironment } from '../support/project.ts';

test('all parts run their usual files even if one fails; exit code and summary are of all', (t) => {
  const folder = copyParts(t, 'package.json', 'tsconfig.json', 'scripts', 'src', 'dist');
  for (const [file, body] of [
    ['test/a.test.ts', ''], ['test/cluster/start.test.ts', 'throw new Error();'],
    ['test/cluster/unusual.test.ts', ''], ['test/browser/pages.test.ts', ''],
  ] as const) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    const source = `import { test } from 'node:test';\ntest('${file}', () => { ${body} });\n`;
    writeFileSync(join(folder, file), source);
  }
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/test.ts'], {
    cwd: folder, encoding: 'utf8', env: { ...testEnvironment, ...offline(folder) },
  });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /✖ test\/cluster\/start\.test\.ts/);
  assert.doesNotMatch(stdout, /✔/, 'what passed is only counted');
  assert.match(stdout, /The slowest files, in seconds:\n( +[\d.]+  test\/\S+\n){3}/);
  const [, summary = ''] = stdout.split('\nAll parts together: ');
  const [verdict, ...counts] = summary.trimEnd().split('\n');
  assert.equal(verdict, 'embedded passed, cluster FAILED (1 of 2 files), browser passed');
  assert.deepEqual(counts.slice(0, 4), ['ℹ tests 3', 'ℹ suites 0', 'ℹ pass 2', 'ℹ fail 1']);
  assert.match(counts.at(-1) ?? '', /^ℹ duration_ms [\d.]+$/);
});
