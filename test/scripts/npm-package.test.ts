/** The package of npm, as somebody gets it who has nothing else. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { readUrl } from '../../scripts/listening.js';
import { call } from '../support/http-client.ts';
import { createFolder } from '../support/programs.ts';
import { projectFolder } from '../support/project.ts';



test('npx of the package serves in an empty folder, and fetches nothing', async (t) => {
  const folder = createFolder(t);
  const place = join(folder, 'empty');
  mkdirSync(place);
  const packed = spawnSync('npm', ['pack', '--pack-destination', folder], {
    cwd: projectFolder, encoding: 'utf8',
  });
  assert.equal(packed.status, 0, packed.stderr);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const server = spawn('npx', ['--yes', '--offline', `--package=${join(folder, tarball)}`, 'rollcall'], {
    cwd: place,
    detached: true,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: folder,
      npm_config_cache: join(folder, 'cache'), PORT: '0', LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => process.kill(-Number(server.pid), 'SIGTERM')); // npx and what it started
  const url = await readUrl(server.stdout);
  assert.ok(url !== undefined, 'it ended');
  const port = Number(new URL(url).port);
  for (const path of ['/', '/static/console/', '/api/v1/openapi.json']) {
    assert.equal((await call(port, `GET ${path}`)).status, 200, path);
  }
  assert.deepEqual(readdirSync(place), ['data']);
});
