import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepareLockedArguments } from '../../scripts/start-locked.js';
import { ADMINISTRATOR, ROOT } from '../support/administrator.ts';
import { mustRun } from '../support/commands.ts';
import { call } from '../support/http-client.ts';
import { createFolder, createInstallation } from '../support/programs.ts';
import { projectFolder } from '../support/project.ts';

/** Each outcome is `done` or the code of an error. */
const ATTEMPTS = {
  'fs.readFileSync(outside)': 'ERR_ACCESS_DENIED',
  'fs.writeFileSync(outside, "")': 'ERR_ACCESS_DENIED',
  'new DatabaseSync(outside + ".sqlite").exec("CREATE TABLE t (a)")': 'done',
  'fs.writeFileSync(inside, "")': 'done',
  'fs.writeFileSync(ownCode, "")': 'ERR_ACCESS_DENIED',
  'fs.readFileSync(secret)': 'done',
  'child_process.spawnSync("true")': 'ERR_ACCESS_DENIED',
  'new worker_threads.Worker("", { eval: true })': 'ERR_ACCESS_DENIED',
  'process.dlopen({ exports: {} }, outside)': 'ERR_DLOPEN_DISABLED',
};

const PROGRAM = `
  const [outside, inside, secret, ownCode] = process.argv.slice(-4);
  const { DatabaseSync } = require('node:sqlite');
  const outcomes = {};
  ${Object.keys(ATTEMPTS).map((code) => `
    try {
      ${code};
      outcomes['${code}'] = 'done';
    } catch (error) {
      outcomes['${code}'] = error.code;
    }`).join('')}
  console.log(JSON.stringify(outcomes));`;

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
  const places = [join(outside, 'file'), join(inside, 'file'), secret, join(projectFolder, 'dist/server.js')];
  const stdout = mustRun(process.execPath, [...lockedArguments, '-e', PROGRAM, ...places]);
  assert.deepEqual(JSON.parse(stdout), ATTEMPTS);
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
