import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { mustRun } from '../support/commands.ts';
import { WHOLE_PROJECT } from '../support/mutants.ts';
import { copyParts, testEnvironment } from '../support/project.ts';
import { exercises } from '../walk/exercises.ts';

const folder = copyParts({ after }, ...WHOLE_PROJECT);
const git = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
for (const words of [['init', '-q'], ['add', 'src'], [...git, 'commit', '-qm', 'all']]) {
  mustRun('git', words, { cwd: folder });
}

/** The exercise with the title "Allow one character more in a description." */
const number = exercises.findIndex(({ replace }) => replace.includes('2_001')) + 1;
const exercise = exercises[number - 1];
assert.ok(exercise);

const command = (...words: readonly string[]) => ['--import', 'tsx', 'scripts/exercise.ts', ...words];
const run = (...words: readonly string[]) =>
  spawnSync(process.execPath, command(...words), { cwd: folder, encoding: 'utf8', env: testEnvironment });
const file = join(folder, exercise.file);
const readSource = () => readFileSync(file, 'utf8');

test('an exercise shows the change, each failing test with its line, and why; the file is as before', () => {
  const before = readSource();
  const { status, stdout } = run(String(number));
  assert.match(stdout, /^src\/resources\/projects\.ts:\d+\n- .*2_000.*\n\+ .*2_001/m);
  assert.match(stdout, /^✖ a description of 2001 characters is 400\n +test\/api\/06-.*\.ts:\d+ {2}await/m);
  assert.match(stdout, /A limit is tested on both sides of its boundary/);
  assert.match(stdout, /\n\nExactly the expected tests failed: 1 in .*\n\nThe change of .* is undone\n$/);
  assert.equal(status, 0);
  assert.equal(readSource(), before);
});

test('an error in another file shows its line; a title may hold letters written in two ways', () => {
  const { status, stdout } = run(String(exercises.findIndex(({ find }) => find.includes('isNameFree')) + 1));
  assert.match(stdout, /^✖ .+\n +test\/support\/core\.ts:\d+ {2}\S.*\n.* answered 500/m);
  assert.doesNotMatch(stdout, /Expected to fail/);
  assert.equal(status, 0);
});

test('SIGINT in between takes the change back', async () => {
  const before = readSource();
  const child = spawn(process.execPath, command(String(number)), {
    cwd: folder, env: testEnvironment, stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  assert.notEqual(readSource(), before);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [1, null]);
  assert.equal(readSource(), before);
});

test('a file with changes is refused and left alone', () => {
  appendFileSync(file, '// mine\n');
  const { status, stderr } = run(String(number));
  assert.match(stderr, /^src\/resources\/projects\.ts has changes\. If another exercise runs, wait/);
  assert.equal(status, 1);
  assert.match(readSource(), /\/\/ mine\n$/);
});
