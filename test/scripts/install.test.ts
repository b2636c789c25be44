import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { PASSWORDS } from '../fixtures/population.ts';
import { mustRun } from '../support/commands.ts';
import { basic, call } from '../support/http-client.ts';
import { createFolder, launch, whenListening } from '../support/programs.ts';
import { manifest, projectFolder, read } from '../support/project.ts';
import { createReleasedFile, readVersionOf } from '../support/released-database.ts';

const COPY = `service.sqlite.before-v${SCHEMA_VERSION}`;

const [headOfUnit = ''] = read('scripts/container/rollcall.service').split('# To go back');
const COMMANDS = headOfUnit.match(/(?<=^#   ).*/gm)?.join('\n') ?? '';

/** The current release no longer has the module `supervisor.js`. */
function leaveEarlierRelease(folder: string): void {
  for (const [name, text] of [
    ['dist/server.js', 'process.exit(9);'], ['dist/supervisor.js', 'process.exit(9);'],
    ['static/guides/index.html', 'an earlier page'], ['package.json', '{"version":"1.0.0","type":"module"}'],
  ] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function signIn(t: TestContext, program: string, path: string): Promise<number> {
  const environment = { DATABASE_URL: `sqlite:${path}`, LOG_FORMAT: 'json', PATH: process.env['PATH'] };
  const { port, stop } = await whenListening(launch(t, [process.execPath, program], environment));
  const { status } = await call(port, 'GET /api/v1/user', { as: basic('ada', PASSWORDS.ada) });
  await stop('SIGTERM');
  return status;
}

test('the commands in the unit install twice over an old release; the file can be restored', async (t) => {
  const folder = createFolder(t);
  const target = join(folder, 'opt');
  const path = join(folder, 'service.sqlite');
  leaveEarlierRelease(target);
  createReleasedFile(path, 6);
  const stubs = join(folder, 'stubs');
  mkdirSync(stubs);
  for (const name of ['npm', 'systemctl', 'systemd-run']) { // a test machine can lack these programs
    writeFileSync(join(stubs, name), '#!/bin/sh\n');
    chmodSync(join(stubs, name), 0o755);
  }
  const commands = COMMANDS.replaceAll('/opt/rollcall', target)
    .replace(/\/etc(\/systemd\/system)?\//g, `${folder}/`);
  assert.ok(commands.includes(`rm -rf ${target}/dist`), commands);
  for (const time of [1, 2]) {
    mustRun('sh', ['-euc', `umask 077; ${commands}`], {
      cwd: projectFolder, env: { PATH: [stubs, process.env['PATH']].join(delimiter) },
    });
    for (const part of ['dist', 'static']) {
      const [installed, own] = [target, projectFolder].map((place) =>
        readdirSync(join(place, part), { recursive: true }).sort());
      assert.deepEqual(installed, own, `${part}, the time ${time}`);
    }
  }
  const modes = ['opt/dist', 'opt/dist/server.js', 'rollcall.conf']
    .map((file) => statSync(join(folder, file)).mode & 0o777);
  assert.deepEqual(modes, [0o755, 0o644, 0o600]);
  assert.equal(await signIn(t, join(target, 'dist/server.js'), path), 200);
  assert.equal(readVersionOf(path), SCHEMA_VERSION);

  mustRun(process.execPath, [join(target, 'dist/admin.js'), 'restore', join(folder, COPY)], {
    env: { DATABASE_URL: `sqlite:${path}` },
  });
  assert.equal(readVersionOf(path), 6);
});

test('npm installs the package over an earlier one, without leftovers, and npx serves it', async (t) => {
  const folder = createFolder(t);
  const earlier = join(folder, 'earlier');
  leaveEarlierRelease(earlier);
  const earlierManifest = { ...manifest, version: '1.0.0', scripts: {} };
  writeFileSync(join(earlier, 'package.json'), JSON.stringify(earlierManifest));
  const environment = {
    HOME: folder, npm_config_cache: join(folder, 'cache'), // the cache of npm is empty
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  };
  const npm = (cwd: string, ...words: readonly string[]) =>
    mustRun('npm', words, { cwd, env: { ...process.env, ...environment } });
  npm(earlier, 'pack', '--pack-destination', folder);
  npm(projectFolder, 'pack', '--pack-destination', folder);
  for (const version of ['1.0.0', manifest.version]) {
    npm(folder, 'install', '--global', '--offline', '--prefix', folder, `./rollcall-${version}.tgz`);
  }
  const installed = join(folder, 'lib/node_modules/rollcall');
  assert.ok(!existsSync(join(installed, 'dist/supervisor.js')));
  const path = join(folder, 'service.sqlite');
  createReleasedFile(path, 6);
  assert.equal(await signIn(t, join(folder, 'bin/rollcall'), path), 200);
  const { status, stderr } = spawnSync(process.execPath, ['-e', "import('rollcall/dist/service.js')"], {
    cwd: join(folder, 'lib'), encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);

  const place = join(folder, 'empty');
  mkdirSync(place);
  const tarball = `--package=${join(folder, `rollcall-${manifest.version}.tgz`)}`;
  const server = launch(t, ['npx', '--yes', '--offline', tarball, 'rollcall'], {
    ...environment, LOG_FORMAT: 'json',
  }, { cwd: place, detached: true });
  t.after(() => process.kill(-Number(server.process.pid), 'SIGTERM')); // ends npx and its child processes
  const { port } = await whenListening(server);
  for (const page of ['/', '/static/console/', '/api/v1/openapi.json']) {
    assert.equal((await call(port, `GET ${page}`)).status, 200, page);
  }
  assert.deepEqual(readdirSync(place), ['data']);
});
