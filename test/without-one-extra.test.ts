/** Tests that each extra can be deleted, together with the files of other extras that import the extra. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { basic, call } from './support/http-client.ts';
import { importsOf } from './support/imports.ts';
import { launch, whenListening } from './support/programs.ts';
import { createProject, projectFolder, readFolder, type SourceFile } from './support/project.ts';

const sources = readFolder('src');

/** The files that combine extras. The test removes the lines about the deleted extra from these files. */
const COMBINING = ['src/programs/extras.ts', 'src/extras/admin/administer.ts', 'src/server.ts'];

/** The only files outside `extras/` that may be deleted with an extra. */
const GO_WITH: Readonly<Record<string, readonly string[]>> = {
  admin: ['src/programs/commands.ts', 'src/admin.ts'],
};

/** @returns The sources without the extra, and the deleted files outside the folder of the extra. */
function withoutExtra(extra: string) {
  const folder = `src/extras/${extra}/`;
  const gone = new Set(sources.map(({ file }) => file).filter((file) => file.startsWith(folder)));
  const others = new Set<string>();
  const isBroken = (source: SourceFile) => importsOf(source).some(({ target }) => gone.has(target));
  for (;;) {
    const left = sources.filter(({ file }) => !gone.has(file));
    const broken = left.filter((source) => isBroken(source) && !COMBINING.includes(source.file));
    if (broken.length === 0) {
      return { left: left.map((source) => isBroken(source) ? withoutLines(source, gone) : source), others };
    }
    broken.forEach(({ file }) => gone.add(file) && others.add(file));
  }
}

/** Removes the imports of deleted files, and the lines that use an imported name. */
function withoutLines(source: SourceFile, gone: ReadonlySet<string>): SourceFile {
  const { file } = source;
  const names = importsOf(source).filter(({ target }) => gone.has(target))
    .flatMap((found) => /\{(.*)\}/s.exec(found.names)?.[1]?.match(/\w+/g) ?? [])
    .filter((word) => word !== 'type');
  const statement = /^import [^;]*? from '([^']+)';\n|^.*\bimport\('([^']+)'\).*\n/gm;
  const text = source.text.replace(statement, (whole: string, path?: string, late?: string) =>
    gone.has(join(dirname(file), path ?? late ?? '')) ? '' : whole);
  const kept = text.split('\n').filter((line) => !line.match(/\w+/g)?.some((word) => names.includes(word)));
  return { file, text: kept.join('\n') };
}

for (const extra of readdirSync(join(projectFolder, 'src/extras'))) {
  test(`without the extra ${extra} the rest compiles and serves`, async (t) => {
    const { left, others } = withoutExtra(extra);
    const outside = [...others].filter((file) => !file.startsWith('src/extras/'));
    assert.deepEqual(outside.sort(), (GO_WITH[extra] ?? []).toSorted());
    const folder = createProject(t, left);
    // The compiler allows names that are unused after the deletion.
    const compiler = ['node_modules/typescript/bin/tsc', '-p', 'src', '--noUnusedLocals', 'false'];
    const { stdout } = spawnSync(process.execPath, compiler, { cwd: folder, encoding: 'utf8' });
    assert.equal(stdout, '');
    await smoke(t, join(folder, 'dist/server.js'));
  });
}

/** Starts the program, registers a user, and signs in. */
async function smoke(t: TestContext, program: string): Promise<void> {
  const environment = { DATABASE_URL: 'sqlite::memory:', METRICS: 'on' };
  const { port } = await whenListening(launch(t, [process.execPath, program], environment));
  const json = { username: 'ada', password: 'a long phrase', email: 'ada@example.org' };
  assert.equal((await call(port, 'POST /api/v1/users', { json })).status, 201);
  const as = basic('ada', 'a long phrase');
  assert.equal((await call(port, 'GET /api/v1/projects', { as })).status, 200);
}
