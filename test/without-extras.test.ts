/** Tests a copy of the core without `src/extras/`, and without the programs that import extras. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOf } from './support/imports.ts';
import { createProject, readFolder } from './support/project.ts';

const sources = [...readFolder('src'), ...readFolder('test')];
const imports = new Map(
  sources.map((source) => [source.file, importsOf(source).map(({ target }) => target)]),
);

function reach(file: string, reached: Set<string> = new Set()): ReadonlySet<string> {
  if (!reached.has(file)) {
    reached.add(file);
    imports.get(file)?.forEach((target) => reach(target, reached));
  }
  return reached;
}

function needs(file: string, folder: string): boolean {
  return [...reach(file)].some((target) => target.startsWith(folder));
}

/** The files of the core. A core file that imported an extra would not compile in the copy of the core. */
const core = [...imports.keys()].filter((file) => file.startsWith('src/')).filter((file) => {
  const isProgram = /^src\/(programs\/|(server|admin)\.ts$)/.test(file);
  return !file.startsWith('src/extras/') && !(isProgram && needs(file, 'src/extras/'));
});

/** The tests of the core that need no extra. */
const tests = [...imports.keys()].filter((file) => {
  const [, folder] = /^test\/(\w+)\/.*\.test\.ts$/.exec(file) ?? [];
  const isOfCore = folder === 'core' || core.some((source) => source.startsWith(`src/${folder}/`));
  return isOfCore && folder !== 'programs' && !needs(file, 'src/extras/') && !needs(file, 'scripts/');
});

test('Without extras the core compiles and passes its tests', (t) => {
  const files = new Set([...core, ...tests.flatMap((file) => [...reach(file)])]);
  const folder = createProject(t, sources.filter(({ file }) => files.has(file)));
  run(folder, [join('node_modules', 'typescript', 'bin', 'tsc')]);
  const passed = run(folder, ['--import', 'tsx', '--test', '--test-isolation=none', ...tests]);
  assert.match(passed, /^. pass [1-9]\d{2,}$/m, 'hundreds of tests');
});

function run(folder: string, programArguments: readonly string[]): string {
  // With NODE_TEST_CONTEXT set, the inner test runner would run no tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, programArguments, {
    cwd: folder, env, encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
  return stdout;
}
