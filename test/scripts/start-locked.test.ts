import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepareLockedArguments } from '../../scripts/start-locked.js';
import { ADMINISTRATOR, ROOT } from '../support/administrator.ts';
import { call } from '../support/http-client.ts';
import { createFolder, createInstallation } from '../support/programs.ts';
import { projectFolder } from '../support/project.ts';

const ATTEMPTS = `
  const [outside, inside, secret] = process.argv.slice(-3);
  const { DatabaseSync } = require('node:sqlite');
  const attempts = {
    readOutside: () => fs.readFileSync(outside),
    writeOutside: () => fs.writeFileSync(outside, ''),
    openDatabaseOutside: () => new DatabaseSync(outside + '.sqlite').exec('CREATE TABLE t (a)'),
    writeInside: () => fs.writeFileSync(inside, ''),
    writeOwnCode: () => fs.writeFileSync('${projectFolder}/dist/server.js', ''),
    readNamedFile: () => fs.readFileSync(secret),
    startProgram: () => child_process.spawnSync('true'),
    startThread: () => new worker_threads.Worker('', { eval: true }),
    loadAddon: () => process.dlopen({ exports: {} }, outside),
  };
  const outcomes = Object.entries(attempts).map(([name, attempt]) => {
    try {
      attempt();
      return [name, 'done'];
    } catch (error) {
      return [name, error.code];
    }
  });
  console.log(JSON.stringify(Object.fromEntries(outcomes)));`;

test('files, programs, threads and addons are restricted; databases of SQLite are not', async (t) => {
  const [outside, inside] = [createFolder(t), createFolder(t)];
  const secret = join(outside, 'secret');
  writeFileSync(secret, 'a password');
  writeFileSync(join(outside, 'file'), '');
  const lockedArguments = await prepareLockedArguments({
    DATABASE_URL: `sqlite:${inside}/service.sqlite`, ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: secret,
    OTHER_FILE: join(outside, 'file'),
  });
  assert.ok(lockedArguments.includes('--max-semi-space-size=4'));
  const programArguments = [
    ...lockedArguments, '-e', ATTEMPTS, join(outside, 'file'), join(inside, 'file'), secret,
  ];
  const { stdout } = spawnSync(process.execPath, programArguments, { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stdout), {
    readOutside: 'ERR_ACCESS_DENIED',
    writeOutside: 'ERR_ACCESS_DENIED',
    openDatabaseOutside: 'done',
    writeInside: 'done',
    writeOwnCode: 'ERR_ACCESS_DENIED',
    readNamedFile: 'done',
    startProgram: 'ERR_ACCESS_DENIED',
    startThread: 'ERR_ACCESS_DENIED',
    loadAddon: 'ERR_DLOPEN_DISABLED',
  });
});

test('the service works under these restrictions, also in a new folder', async (t) => {
  const path = join(createFolder(t), 'new/service.sqlite');
  const { environment, start } = createInstallation(t, ADMINISTRATOR, path);
  const server = await start({ nodeArguments: await prepareLockedArguments(environment) });
  const { status } = await call(server.port, 'POST /api/v1/projects', { as: ROOT, json: { name: 'engine' } });
  assert.equal(status, 201);
  assert.equal((await call(server.port, 'GET /static/index.html')).status, 200);
  assert.equal(await server.stop('SIGTERM'), 0);
});
