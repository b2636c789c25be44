import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pack } from '../../scripts/package.ts';
import { FETCHED_VERSION, findNodeOf } from '../../scripts/runtime.js';
import { SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { findObstacle, mustRun } from '../support/commands.ts';
import { basic, call } from '../support/http-client.ts';
import { columnIn, createFolder, launch, whenListening } from '../support/programs.ts';
import { copyParts } from '../support/project.ts';
import { createReleasedFile, readVersionOf } from '../support/released-database.ts';

const folder = createFolder({ after });

const skip =
  process.platform === 'linux' ? findObstacle(() => findNodeOf(FETCHED_VERSION)) : 'made for Linux';
const skipInRoot = skip || (process.getuid?.() !== 0 && 'only root may change the root of a process');
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '', PORT: '0', DATABASE_URL: 'sqlite:/data/service.sqlite', LOG_FORMAT: 'json',
};
const release = join(folder, 'release');
if (skip === false) {
  pack(release);
}

test('a second package is the same, byte for byte, and SHA256SUMS is right', { skip }, () => {
  const again = join(folder, 'again');
  pack(again);
  for (const name of ['rollcall', 'rollcall.cdx.json', 'SHA256SUMS']) {
    assert.ok(readFileSync(join(again, name)).equals(readFileSync(join(release, name))), name);
  }
  mustRun('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release });
});

test('the bill of materials names Node.js and the libraries in it, as scanners know them', { skip }, () => {
  const { bomFormat, components, dependencies } =
    JSON.parse(readFileSync(join(release, 'rollcall.cdx.json'), 'utf8'));
  assert.equal(bomFormat, 'CycloneDX');
  const node = findNodeOf(FETCHED_VERSION);
  const versions = JSON.parse(mustRun(node, ['--print', 'JSON.stringify(process.versions)']));
  const libraries = ['icu', 'openssl', 'sqlite', 'uv', 'v8', 'zlib'];
  assert.deepEqual(
    components.map(({ name, version }: Record<string, string>) => [name, version]),
    ['node', ...libraries].map((name) => [name, versions[name]]),
  );
  for (const { cpe, version } of components) { // checks the format that CycloneDX requires
    assert.match(cpe, /^cpe:2\.3:a:[a-z-]+:[a-z0-9._-]+:[0-9.]+(:\*){7}$/);
    assert.ok(version.startsWith(cpe.split(':')[5]), cpe);
  }
  const references = components.map((component: Record<string, string>) => component['bom-ref']);
  assert.deepEqual(dependencies.map(({ ref }: { ref: string }) => ref), ['rollcall', ...references]);
  assert.deepEqual(dependencies[0].dependsOn, [references[0]]);
  assert.deepEqual(dependencies[1].dependsOn, references.slice(1));
});

test('the file replaces a running earlier release, and upgrades its data', { skip }, async (t) => {
  const place = join(folder, 'bin');
  mkdirSync(place);
  copyFileSync('/bin/sleep', join(place, 'rollcall')); // this copy of `sleep` stands for an earlier release
  const earlier = spawn(join(place, 'rollcall'), ['600']);
  t.after(() => earlier.kill());
  mustRun('install', [join(release, 'rollcall'), join(place, 'rollcall')]);
  const path = join(place, 'service.sqlite');
  createReleasedFile(path, 6);
  await whenListening(launch(t, [join(place, 'rollcall')], {
    DATABASE_URL: `sqlite:${path}`, LOG_FORMAT: 'json',
  }));
  assert.equal(readVersionOf(`${path}.before-v${SCHEMA_VERSION}`), 6);
});

test('without static/ there is one line that says so, and no package', (t) => {
  const incomplete = copyParts(t, 'package.json', 'tsconfig.json', 'scripts', 'src', 'dist');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/package.ts'], {
    cwd: incomplete, encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [1, `Cannot package: there is no static in ${incomplete}/\n`]);
  assert.ok(!existsSync(join(incomplete, 'release')));
});

test('in an empty root it serves, makes accounts and backs up', { skip: skipInRoot }, async (t) => {
  const root = join(folder, 'root'); // contains only the program and the libraries that `ldd` lists
  mkdirSync(join(root, 'data'), { recursive: true });
  copyFileSync(join(release, 'rollcall'), join(root, 'rollcall'));
  const libraries = mustRun('ldd', [join(release, 'rollcall')]);
  for (const [, library = ''] of libraries.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  const runInRoot = (...words: readonly string[]) => mustRun('chroot', [root, '/rollcall', ...words], {
    env: ENVIRONMENT, input: 'the password of root\n',
  });
  const { port } = await whenListening(launch(t, ['chroot', root, '/rollcall'], ENVIRONMENT));
  for (const path of ['/', '/readyz', '/static/console/', '/static/icon.svg', '/api/v1/openapi.json']) {
    assert.equal((await call(port, `GET ${path}`)).status, 200, path);
  }
  runInRoot('admin', 'create', 'root', '--email', 'root@example.org');
  const { json } = await call(port, 'GET /api/v1/user', { as: basic('root', 'the password of root') });
  assert.equal(json['is_admin'], true);

  runInRoot('backup', '/data/backup');
  assert.deepEqual(columnIn(join(root, 'data/backup'), 'SELECT username FROM users'), ['root']);
});
