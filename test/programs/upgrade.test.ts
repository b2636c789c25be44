import assert from 'node:assert/strict';
import {
  copyFileSync, readdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { planUpgrade } from '../../src/extras/data/upgrade-steps.ts';
import { SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { LONG_DESCRIPTION, LONG_KEY_NAME, PASSWORDS } from '../fixtures/population.ts';
import { each } from '../support/each.ts';
import { basic, call } from '../support/http-client.ts';
import { findFreePort, listen } from '../support/listen.ts';
import { createInstallation, inFile, launchServer } from '../support/programs.ts';
import { manifest } from '../support/project.ts';
import {
  createReleasedFile, readTokens, readVersionOf, RELEASED_VERSIONS,
} from '../support/released-database.ts';

const COPY = `service.sqlite.before-v${SCHEMA_VERSION}`;
const WAITING = 'upgrade waits until another program has closed the database';

function createReleased(t: TestContext, version: (typeof RELEASED_VERSIONS)[number] = 5, settings = {}) {
  const installation = createInstallation(t, settings);
  createReleasedFile(installation.path, version);
  return {
    ...installation,
    listCopies: () => readdirSync(installation.folder).filter((name) => name.includes('before')),
  };
}

const OF_VERSION_5 = { live: 200, readOnly: 200, child: 200, revoked: 401, expired: 401 };
const STATUSES = {
  5: OF_VERSION_5,
  6: { ...OF_VERSION_5, identity: 200, renewable: 200, renewed: 401, renewal: 200 },
  7: { ...OF_VERSION_5, identity: 200 },
} as const;

for (const version of RELEASED_VERSIONS) {
  test(`version ${version} is upgraded, logged and served, and a private copy is kept`, async (t) => {
    const { folder, path, start, admin } = createReleased(t, version);
    const { size } = statSync(path);
    const server = await start();
    const { time: began, ...before } = await server.untilLogged('upgrading database');
    assert.deepEqual([before['from'], before['schema_version'], before['bytes'], before['level']], [
      version, SCHEMA_VERSION, size, 'info',
    ]);
    const { time, seconds, from, schema_version: to, copy } = await server.untilLogged('database upgraded');
    assert.deepEqual([from, to, copy], [version, SCHEMA_VERSION, join(folder, COPY)]);
    assert.ok(seconds > 0 && began <= time, `${seconds} s`);
    const { version: program } = await server.untilLogged('listening');
    assert.equal(program, manifest.version);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.equal(readVersionOf(copy), version);

    const ask = (line: string, json?: object, as = basic('ada', PASSWORDS.ada)) =>
      call(server.port, line, { as, json });
    const listUsers = async (query: string): Promise<readonly string[]> =>
      (await ask(`GET /api/v1/users${query}`)).json['users'].map(({ username }: any) => username);
    const invited = version === 5 ? [] : ['invited'];
    assert.deepEqual(await listUsers(''), [...Object.keys(PASSWORDS), ...invited]);
    assert.deepEqual(await listUsers('?contains=o'), ['root', 'Zoë', 'second']);
    assert.equal((await ask('GET /api/v1/projects/3')).json['description'], LONG_DESCRIPTION);
    const { json: created } = await ask('POST /api/v1/projects', { name: 'new' });
    assert.equal(created['id'], version === 6 ? 8 : 7, 'ids go on');
    for (const [username, password] of Object.entries(PASSWORDS)) {
      const { status } = await ask('GET /api/v1/user', undefined, basic(username, password));
      assert.equal(status, username === 'left' ? 401 : 200, username);
    }
    const statuses: Record<string, number> = {};
    for (const [name, token] of readTokens(version)) {
      statuses[name] = (await ask('GET /api/v1/user', undefined, `Bearer ${token}`)).status;
    }
    assert.deepEqual(statuses, STATUSES[version]);
    assert.equal((await admin('check')).stdout, 'No problems found\n');
    assert.equal(await server.stop('SIGTERM'), 0);
  });
}

each('an old project whose key is longer than any new key can be {0}', [
  ['found, changed and renamed', [
    ['GET', LONG_KEY_NAME.toUpperCase(), undefined, 200],
    ['PATCH', LONG_KEY_NAME, { description: 'kept' }, 200],
    ['PATCH', LONG_KEY_NAME, { name: 'ß' }, 200],
    ['PATCH', 'ß', { name: LONG_KEY_NAME }, 400], // the project cannot get the long name again
    ['DELETE', 'ß', undefined, 200],
  ]],
  ['deleted by its name', [['DELETE', LONG_KEY_NAME, undefined, 200]]],
], async ([, requests], t) => {
  const { port } = await createReleased(t, 6).start();
  for (const [method, name, json, expected] of requests) {
    const line = `${method} /api/v1/projects/${encodeURIComponent(name)}`;
    const { status } = await call(port, line, { as: basic('Zoë', PASSWORDS.Zoë), json });
    assert.equal(status, expected, line);
  }
});

test('a second upgrade keeps the copy of the first, and a log that lost its copy', async (t) => {
  const { folder, path, start } = createReleased(t);
  await (await start()).stop('SIGTERM');
  copyFileSync(join(folder, COPY), path); // restores the file as it was before the upgrade
  writeFileSync(join(folder, `${COPY}-2-wal`), '');
  const server = await start();
  assert.equal((await server.untilLogged('database upgraded'))['copy'], join(folder, `${COPY}-3`));
  await server.stop('SIGTERM');
  assert.deepEqual(readdirSync(folder).sort(), ['service.sqlite', COPY, `${COPY}-2-wal`, `${COPY}-3`]);
  assert.deepEqual(readFileSync(join(folder, COPY)), readFileSync(join(folder, `${COPY}-3`)));
});

test('two servers that start at once upgrade the file once, and both serve it', async (t) => {
  const { start, listCopies } = createReleased(t);
  const servers = await Promise.all([start(), start()]);
  const lines = servers.flatMap(({ logLines }) => logLines);
  assert.equal(lines.filter((line) => line.includes('"database upgraded"')).length, 1);
  for (const { port } of servers) {
    const { status } = await call(port, 'GET /api/v1/user', { as: basic('ada', PASSWORDS.ada) });
    assert.equal(status, 200);
  }
  assert.deepEqual(listCopies(), [COPY]);
});

test('a file that is open elsewhere is unchanged, probes say why; later it is upgraded', async (t) => {
  const { folder, path, environment, readFile, listCopies } = createReleased(t);
  const other = new DatabaseSync(path);
  other.prepare('SELECT count(*) FROM users').get(); // locks the file, as an old version does
  const before = readFile();
  const port = await findFreePort();
  const server = launchServer(t, { ...environment, PORT: String(port) });
  await server.untilLogged(WAITING);
  assert.equal((await call(port, 'GET /livez')).status, 200);
  const readiness = await call(port, 'GET /readyz');
  assert.deepEqual([readiness.status, readiness.json['failed_checks']], [503, ['upgrading']]);
  for (const line of ['GET /api/v1/user', 'POST /api/v1/token']) {
    const { status, json } = await call(port, line, { as: basic('ada', PASSWORDS.ada) });
    assert.deepEqual([status, json['type']], [503, '/static/problems.html#database-unavailable']);
  }
  assert.equal((await call(port, 'GET /')).status, 200);
  assert.deepEqual([readFile(), listCopies()], [before, []]);
  other.close();
  await server.untilLogged('listening');
  assert.equal((await call(port, 'GET /readyz')).status, 200);
  assert.equal(readVersionOf(join(folder, COPY)), 5);
});

test('when another program ends its own upgrade, the service goes on with that file', async (t) => {
  const { path, environment, listCopies } = createReleased(t);
  const other = new DatabaseSync(path);
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  const server = launchServer(t, environment);
  await server.untilLogged(WAITING);
  planUpgrade(5).forEach((sql) => other.exec(sql));
  other.exec('COMMIT');
  other.close();
  await server.untilLogged('listening');
  assert.deepEqual(listCopies(), []);
});

test('a port in use ends the start with 1 and one line, before the file is touched', async (t) => {
  const PORT = String(await listen(t, createServer()));
  const { folder, serve, readFile } = createReleased(t, 5, { PORT });
  const before = readFile();
  assert.deepEqual(await serve(), {
    code: 1, stdout: '',
    stderr: `Port ${PORT} is in use: stop the other program, or set PORT (0 chooses a free port)\n`,
  });
  assert.deepEqual([readdirSync(folder), readFile()], [['service.sqlite'], before]);
});

test('admin commands leave the upgrade to the service', async (t) => {
  const { folder, admin } = createReleased(t);
  for (const command of ['list', 'check']) {
    const { code, stderr } = await admin(command);
    assert.match(stderr, /schema version 5: start the service, which upgrades it\n$/);
    assert.equal(code, 1);
  }
  assert.deepEqual(readdirSync(folder), ['service.sqlite']);
});

test('a backup of an earlier version can be restored, and the next start upgrades it', async (t) => {
  const { folder, path, start, mustAdmin } = createReleased(t);
  renameSync(path, join(folder, 'backup'));
  await mustAdmin('restore backup');
  const { from } = await (await start()).untilLogged('database upgraded');
  assert.equal(from, 5);
});

const setVersion = (version: number) => (path: string) =>
  inFile(path, (database) => database.exec(`UPDATE schema_version SET version = ${version}`));

each('a file of an earlier version is refused and stays unchanged: {0}', [
  ['version 4', setVersion(4),
    /has schema version 4, but this program needs \d+: run the version that made the database/],
  ['version 99', setVersion(99), /has schema version 99, but this program needs \d+: run a newer version/],
  ['half a file', (path: string) => truncateSync(path, 40_960), /damaged|malformed/],
], async ([, prepare, reason], t) => {
  const { folder, path, serve, readFile } = createReleased(t);
  prepare(path);
  const before = readFile();
  const { code, stderr } = await serve();
  assert.match(stderr, reason);
  assert.equal(code, 1);
  assert.deepEqual([readFile(), readdirSync(folder)], [before, ['service.sqlite']]);
});
