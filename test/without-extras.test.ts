import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { mustRun } from './support/commands.ts';
import { each } from './support/each.ts';
import { basic, call } from './support/http-client.ts';
import { importsOf } from './support/imports.ts';
import { launch, whenListening } from './support/programs.ts';
import {
  createProject, projectFolder, readFolder, testEnvironment as env, type SourceFile,
} from './support/project.ts';

const sources = [...readFolder('src'), ...readFolder('test')];
const imports = new Map(sources.map((from) => [from.file, importsOf(from).map(({ target }) => target)]));

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

/** If one of these files imported an extra, the copy of the core would not compile. */
const core = [...imports.keys()].filter((file) => file.startsWith('src/')).filter((file) => {
  const isProgram = /^src\/(programs\/|(server|admin)\.ts$)/.test(file);
  return !file.startsWith('src/extras/') && !(isProgram && needs(file, 'src/extras/'));
});

/** The tests of the core that pass without the folder `src/extras`. */
const tests = [...imports.keys()].filter((file) => {
  const [, folder] = /^test\/(\w+)\/.*\.test\.ts$/.exec(file) ?? [];
  const isOfCore = folder === 'core' || core.some((source) => source.startsWith(`src/${folder}/`));
  return isOfCore && folder !== 'programs' && !needs(file, 'src/extras/') && !needs(file, 'scripts/');
});

const run = (cwd: string, ...words: readonly string[]) => mustRun(process.execPath, words, { cwd, env });

test('Without extras the core compiles and passes its tests', (t) => {
  const files = new Set([...core, ...tests.flatMap((file) => [...reach(file)])]);
  const folder = createProject(t, sources.filter(({ file }) => files.has(file)));
  run(folder, 'node_modules/typescript/bin/tsc');
  const passed = run(folder, '--import', 'tsx', '--test', '--test-isolation=none', ...tests);
  assert.match(passed, /^. pass [1-9]\d{2,}$/m, 'hundreds of tests');
});

/** From these files, the test deletes only the lines that use the deleted extra. */
const COMBINING = ['src/programs/extras.ts', 'src/extras/admin/commands.ts', 'src/server.ts'];

/** The test deletes the folder of an extra and these files, because these files import the extra. */
const GO_WITH: Readonly<Record<string, readonly string[]>> = {
  'admin': ['src/admin.ts'],
  'data': ['src/extras/admin/data-commands.ts'],
  'password-links': ['src/extras/admin/add-users.ts'],
};

type IsGone = (file: string) => boolean;

/** Removes each import of a deleted file, and each line that uses a name from such an import. */
function withoutLines(source: SourceFile, isGone: IsGone): SourceFile {
  const { file } = source;
  const names = importsOf(source).filter(({ target }) => isGone(target))
    .flatMap((found) => /\{(.*)\}/s.exec(found.names)?.[1]?.match(/\w+/g) ?? [])
    .filter((word) => word !== 'type');
  const statement = /^import [^;]*? from '([^']+)';\n|^.*\bimport\('([^']+)'\).*\n/gm;
  const text = source.text.replace(statement, (whole: string, path?: string, late?: string) =>
    isGone(join(dirname(file), path ?? late ?? '')) ? '' : whole);
  const kept = text.split('\n').filter((line) => !line.match(/\w+/g)?.some((word) => names.includes(word)));
  return { file, text: kept.join('\n') };
}

each('without the extra {0} the rest compiles, serves, registers a user and signs in', [
  ...readdirSync(join(projectFolder, 'src/extras')),
], async (extra, t) => {
  const isGone: IsGone = (file) =>
    file.startsWith(`src/extras/${extra}/`) || GO_WITH[extra]?.includes(file) === true;
  const left = sources.filter(({ file }) => file.startsWith('src/') && !isGone(file));
  const folder = createProject(t, left.map((source) =>
    COMBINING.includes(source.file) ? withoutLines(source, isGone) : source));
  // Without the extra, some names are unused, so the compiler must accept unused names.
  run(folder, 'node_modules/typescript/bin/tsc', '-p', 'src', '--noUnusedLocals', 'false');
  const words = [process.execPath, join(folder, 'dist/server.js')];
  const { port } = await whenListening(launch(t, words, { DATABASE_URL: 'sqlite::memory:', METRICS: 'on' }));
  const json = { username: 'ada', password: 'a long phrase', email: 'ada@example.org' };
  assert.equal((await call(port, 'POST /api/v1/users', { json })).status, 201);
  const as = basic('ada', 'a long phrase');
  assert.equal((await call(port, 'GET /api/v1/projects', { as })).status, 200);
  assert.equal((await call(port, 'GET /api/v1/projects', { as: basic('ada', 'wrong') })).status, 401);
});
