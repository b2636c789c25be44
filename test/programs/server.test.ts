import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../../src/settings.ts';
import { ADMINISTRATOR, ROOT } from '../support/administrator.ts';
import { each } from '../support/each.ts';
import { storeUser } from '../support/filled-file.ts';
import { basic, call } from '../support/http-client.ts';
import { findFreePort } from '../support/listen.ts';
import { createFolder, createInstallation, launchServer, run, startServer } from '../support/programs.ts';
import { manifest } from '../support/project.ts';
import { accepts } from '../support/proxies.ts';

test('--help names every setting, -h prints the same, and --version prints the version', async () => {
  const { code, stdout } = await run('server.js', ['--help']);
  assert.equal(code, 0);
  const names = Object.values(settings).map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !new RegExp(`^  ${name}( |$)`, 'm').test(stdout)), []);
  assert.equal((await run('server.js', ['-h'])).stdout, stdout);
  assert.equal((await run('server.js', ['--version'])).stdout, `${manifest.version}\n`);
});

const [EXPORT, IMPORT] = [
  /^The command "export" was removed: use backup to copy a file, and GET \/db\/backup of rqlite .*\n$/,
  /^The command "import" was removed: use restore to replace a file, and POST \/db\/load of .*\n$/,
];

each('{0} exits with 64 and names the mistake', [
  ['server.js export all.jsonl', EXPORT], ['server.js admin export all.jsonl', EXPORT],
  ['admin.js export all.jsonl', EXPORT], ['server.js import all.jsonl', IMPORT], ['admin.js import', IMPORT],
  ['server.js --hlep me', /^Unknown command "--hlep": did you mean "--help"\?\nSee --help\n$/],
  ['server.js --ehpl', /^Unknown command "--ehpl"\nSee --help\n$/],
  ['server.js --version me', /^Unexpected argument 'me'.*\nSee --help\n$/],
  ['server.js create root', /^create needs --email ADDRESS\nSee --help\n$/],
  ['server.js bakup file', /^Unknown command "bakup": did you mean "backup"\?\nSee --help\n$/],
  ['server.js --port 80', /^Unknown command "--port"\nSee --help\n$/],
  ['admin.js admin lst', /^Unknown command "lst": did you mean "list"\?\nSee --help\n$/],
], async ([line, mistake]) => {
  const [program, ...programArguments] = line.split(' ');
  const { code, stdout, stderr } = await run(program as 'server.js' | 'admin.js', programArguments);
  assert.deepEqual([code, stdout], [64, '']);
  assert.match(stderr, mistake);
});

test('--print-config checks settings like a start, and shows no secret', async () => {
  const environment = {
    REGISTRATON: 'closed', PORT: '80a', DATABASE_URL: 'postgres://s3cret', ADMIN_PASSWORD: 's3cret',
  };
  const outcome = await run('server.js', ['--print-config'], { environment });
  assert.deepEqual(outcome, { ...(await run('server.js', [], { environment })), stdout: '', code: 78 });
  assert.match(outcome.stderr, /^Unknown setting .*\nCannot read PORT .*\nCannot read DATABASE_URL: .*\n/);
  assert.doesNotMatch(outcome.stderr, /s3cret/);
});

test('--print-config shows the settings in force, and masks secrets', async () => {
  const strict = { PASSWORD_MIN_LENGTH: '15', REGISTRATION: 'closed', DIRECTORY: 'closed' };
  const environment = { PORT: '0', ...strict, ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'the root-password' };
  const { code, stdout, stderr } = await run('server.js', ['--print-config'], { environment });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^HOST=127\.0\.0\.1\nPORT=0\n[^]*\nADMIN_PASSWORD=\*+\n/);
  assert.doesNotMatch(stdout, /root-password/);
});

each('{0} on too old a Node.js exits with 78 and one line', ['server.js', 'admin.js'], async (program) => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;
  const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
  const { code, stderr } = await run(program, [], { nodeArguments });
  assert.equal(code, 78);
  assert.match(stderr, /^Rollcall needs Node\.js 22\.16\.0 .* is Node\.js 20\.20\.2: .*npm start.*\n$/);
});

test('data survives a restart, and files are readable by their owner only', async (t) => {
  const folder = join(createFolder(t), 'new/deep');
  const { start, environment } = createInstallation(t, {}, join(folder, 'service.sqlite'));
  const first = await start();
  const as = storeUser(environment, 'ada');
  const { status } = await call(first.port, 'POST /api/v1/projects', { as, json: { name: 'engine' } });
  assert.equal(status, 201);
  const files = ['', '-wal', '-shm'].map((suffix) => join(folder, `service.sqlite${suffix}`));
  for (const path of [folder, join(folder, '..'), ...files]) {
    assert.equal(statSync(path).mode & 0o077, 0, path);
  }
  assert.equal(await first.stop('SIGTERM'), 0);
  const second = await start();
  assert.equal((await call(second.port, 'GET /api/v1/projects/engine', { as })).status, 200);
  assert.equal(await second.stop('SIGINT'), 0);
});

test('the settings create the administrator once, and a restart does not change the password', async (t) => {
  const { start, environment } = createInstallation(t, ADMINISTRATOR);
  await (await start()).stop('SIGTERM');
  const { port } = await startServer(t, { ...environment, ADMIN_PASSWORD: 'another' });
  assert.equal((await call(port, 'GET /api/v1/users', { as: basic('root', 'another') })).status, 401);
  const { json } = await call(port, 'GET /api/v1/users/root', { as: ROOT });
  assert.equal(json['is_admin'], true);
});

test('an ADMIN_PASSWORD_FILE with a decomposed letter signs in with the composed one', async (t) => {
  const ADMIN_PASSWORD_FILE = join(createFolder(t), 'secret');
  writeFileSync(ADMIN_PASSWORD_FILE, 'pa\u0308ssword\n');
  const { start } = createInstallation(t, { ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE });
  const { port } = await start();
  assert.equal((await call(port, 'GET /api/v1/user', { as: basic('root', 'p\u00e4ssword') })).status, 200);
});

test('a weak ADMIN_PASSWORD stops the start before a file is made', async (t) => {
  const { folder, serve } = createInstallation(t, { PASSWORD_MIN_LENGTH: '15', ...ADMINISTRATOR });
  const { code } = await serve();
  assert.deepEqual([code, readdirSync(folder)], [78, []]);
});

test('the server does not start if a plain user has the username of the administrator', async (t) => {
  const { start, environment } = createInstallation(t);
  const server = await start();
  storeUser(environment, 'root');
  await server.stop('SIGTERM');
  const { code, stderr } = await run('server.js', [], { environment: { ...environment, ...ADMINISTRATOR } });
  assert.equal(code, 1);
  assert.match(stderr, /Cannot create the administrator "root"/);
});

test('two servers may start on one new file at the same time', async (t) => {
  const { start } = createInstallation(t, ADMINISTRATOR);
  const servers = await Promise.all([start(), start()]);
  for (const { port } of servers) {
    assert.equal((await call(port, 'GET /api/v1/users', { as: ROOT })).json['users'].length, 1);
  }
});

test('the first response comes from a service that has its tables and its administrator', async (t) => {
  const port = await findFreePort();
  launchServer(t, createInstallation(t, { PORT: String(port), ...ADMINISTRATOR }).environment);
  while (!(await accepts(port)));
  assert.equal((await call(port, 'GET /')).status, 200);
  assert.equal((await call(port, 'GET /api/v1/user', { as: ROOT })).status, 200);
});
