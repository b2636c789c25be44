import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SCHEMA_VERSION } from '../../../src/stores/schema.ts';
import { ADMINISTRATOR, ROOT } from '../../support/administrator.ts';
import { startClients } from '../../support/clients.ts';
import { each } from '../../support/each.ts';
import { createFilled } from '../../support/filled-file.ts';
import { call } from '../../support/http-client.ts';
import { atTerminal, columnIn, inFile, pathOf, run, skipWithoutTerminal } from '../../support/programs.ts';
import { until } from '../../support/until.ts';

async function createWorld(t: TestContext, userCount: number) {
  const installation = await createFilled(t, ADMINISTRATOR, Array.from({ length: userCount }, (_, index) => (
    { username: `user_${index}`, projects: 1, description: 'a\n"b"\u2028' }
  )));
  return {
    ...installation,
    listFiles: (part: string) => readdirSync(installation.folder).filter((name) => name.includes(part)),
  };
}

const ask = (path: string, question: string) => columnIn(path, question)[0];

test('a backup during writes of six clients has all earlier writes, and is sound and private', async (t) => {
  const { folder, start, mustAdmin, listFiles } = await createWorld(t, 0);
  const { port } = await start();
  const { tally: { created }, stop } = startClients(t, { port, as: ROOT, count: 6, prefix: 'project' });
  await until(() => created.size >= 300, 10);
  const before = created.size;
  assert.match(await mustAdmin('backup copy.sqlite'), /^Backed up ".*service\.sqlite" to "copy\.sqlite"\n$/);
  const { unknown, wrong } = await stop();
  assert.deepEqual([...unknown, ...wrong], []);
  const copy = join(folder, 'copy.sqlite');
  const count = Number(ask(copy, 'SELECT count(*) FROM projects'));
  assert.ok(count >= before && count <= created.size, `${before} <= ${count} <= ${created.size}`);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  assert.equal(await mustAdmin('check copy.sqlite'), 'No problems found\n');
  assert.equal(await mustAdmin('check'), 'No problems found\n');
  assert.deepEqual(listFiles('part'), []);
});

test('backup does not replace a file, and needs a database and a folder', async (t) => {
  const { folder, path, admin } = await createWorld(t, 2);
  writeFileSync(join(folder, 'precious'), 'precious');
  for (const [copy, reason] of [
    ['precious', 'the file exists already'], ['nowhere/copy', 'no such folder'], ['copy', 'no such file'],
  ] as const) {
    if (reason === 'no such file') {
      rmSync(path);
    }
    const { code, stderr } = await admin(`backup ${copy}`);
    assert.deepEqual([code, stderr], [1, `Cannot back up "${path}" to "${copy}": ${reason}\n`]);
  }
  assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'precious');
});

test('restore is refused while a server uses the database; later it keeps a copy of old data', async (t) => {
  const { path, start, admin, mustAdmin, listFiles } = await createWorld(t, 10);
  await mustAdmin('backup copy.sqlite');
  const running = await start();
  const { code, stderr } = await admin('restore copy.sqlite');
  const reason = `another process uses "${path}": stop the service first`;
  assert.deepEqual([code, stderr.split('\n').at(-2)], [1, `Cannot restore "copy.sqlite": ${reason}`]);
  assert.equal((await call(running.port, 'GET /readyz')).status, 200);
  assert.equal(await running.stop('SIGTERM'), 0);
  ask(path, "DELETE FROM projects WHERE id = 1 RETURNING id");
  const said = await mustAdmin('restore copy.sqlite');
  const [, aside = ''] = /the old database is now "(.*)"\n$/.exec(said) ?? [];
  assert.equal(ask(path, 'SELECT count(*) FROM projects WHERE id = 1'), 1);
  assert.equal(ask(aside, 'SELECT count(*) FROM projects WHERE id = 1'), 0);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(listFiles('restore-'), []);
  assert.equal(await (await start()).stop('SIGTERM'), 0);
});

test('restore replaces a damaged database, and removes the log of the old one', async (t) => {
  const { path, mustAdmin, listFiles } = await createWorld(t, 10);
  await mustAdmin('backup copy.sqlite');
  writeFileSync(path, 'not a database at all, but long enough to be taken for one by its name');
  writeFileSync(`${path}-wal`, 'stale');
  const said = await mustAdmin('restore copy.sqlite');
  const [, aside = ''] = /the old database is now "(.*)"\n$/.exec(said) ?? [];
  assert.match(readFileSync(aside, 'utf8'), /^not a database/);
  assert.ok(!existsSync(`${path}-wal`));
  assert.equal(await mustAdmin('check'), 'No problems found\n');
  assert.deepEqual(listFiles('restore-'), []);
});

test('restore accepts only a sound database of this service', async (t) => {
  const { folder, path, admin } = await createWorld(t, 200);
  const before = readFileSync(path);
  writeFileSync(join(folder, 'text'), 'hello');
  inFile(join(folder, 'other'), (database) => database.exec('CREATE TABLE t (a)'));
  writeFileSync(join(folder, 'newer'), before);
  inFile(join(folder, 'newer'), (database) => database.exec('PRAGMA user_version = 99'));
  writeFileSync(join(folder, 'cut'), before.subarray(0, before.length / 2));
  for (const [file, reason] of [
    ['text', 'file is not a database'],
    ['other', 'it is a database of another program'],
    ['newer', `The database has schema version 99, but this program needs ${SCHEMA_VERSION}: .*`],
    ['cut', '(it is damaged: .*|database disk image is malformed)'],
  ] as const) {
    const { code, stderr } = await admin(`restore ${file}`);
    assert.equal(code, 1, file);
    assert.match(stderr.split('\n').at(-2) ?? '', new RegExp(`^Cannot restore "${file}": ${reason}$`));
    assert.deepEqual(readFileSync(path), before);
  }
  assert.equal((await admin('restore none')).stderr, 'Cannot restore "none": no such file\n');
});

test('a killed restore leaves either the old or the new database, complete', async (t) => {
  const { folder, path, environment, mustAdmin } = await createWorld(t, 500);
  await mustAdmin('backup copy.sqlite');
  const expected = ask(path, 'SELECT count(*) FROM projects');
  for (const afterMs of [60, 100, 140, 180, 220, 300]) {
    await run('admin.js', ['restore', 'copy.sqlite'], { environment, cwd: folder, killAfterMs: afterMs });
    assert.equal(ask(path, 'SELECT count(*) FROM projects'), expected);
    assert.equal(await mustAdmin('check'), 'No problems found\n');
  }
});

const WRONG_INDEX = 'the search index does not match the table "users"';
const WRONG_PROJECTS = 'the count or the list of projects of user 2 is wrong';

each('check reports {0}', [
  ['a search index without one user', 'INSERT INTO users_search (users_search, rowid, marked_key) ' +
    "SELECT 'delete', id, marked_key FROM users WHERE id = 2", WRONG_INDEX],
  ['a search index with a user too many',
    "INSERT INTO users_search (rowid, marked_key) VALUES (9, 'some name')", WRONG_INDEX],
  ['a wrong key of a name', "UPDATE users SET username_key = 'x' WHERE id = 2",
    'row 2 of "users" cannot be found by name'],
  ['a wrong key of a project', "UPDATE projects SET name_key = 'x' WHERE id = 3",
    'row 3 of "projects" cannot be found by name'],
  ['a wrong count', 'UPDATE row_counts SET users = users + 1', 'the count of "users" is wrong'],
  ['a wrong count of projects', 'UPDATE users SET project_count = 7 WHERE id = 2', WRONG_PROJECTS],
  ['a wrong list of projects', "UPDATE users SET listed_projects = '' WHERE id = 2", WRONG_PROJECTS],
  ['a project without an owner', 'PRAGMA foreign_keys = OFF; DELETE FROM users WHERE id = 2',
    'row 2 of "projects" refers to a row of "users" that does not exist'],
], async ([, statement, finding], t) => {
  const { path, admin } = await createWorld(t, 4);
  inFile(path, (database) => database.exec(statement));
  const { code, stderr } = await admin('check');
  assert.deepEqual([code, stderr], [1, `Problems in "${path}":\n${finding}\n`]);
});

test('check reports a damaged page', async (t) => {
  const { path, admin } = await createWorld(t, 300);
  const bytes = readFileSync(path);
  bytes.fill(0x55, 30 * 4096, 34 * 4096);
  writeFileSync(path, bytes);
  const { code, stderr } = await admin('check');
  assert.equal(code, 1);
  assert.match(stderr, /Tree|malformed|page|row/);
});

each('{0} {1} writes a backup to standard output', [
  ['server.js', 'backup -'], ['server.js', 'admin backup -'], ['admin.js', 'backup -'],
], async ([door, words], t) => {
  const { folder, environment: env, listFiles } = await createWorld(t, 1);
  const target = join(folder, 'copy');
  const command = [process.execPath, pathOf(door), ...words.split(' ')];
  assert.equal(spawnSync('sh', ['-c', '"$@" > "$0"', target, ...command], { env }).status, 0);
  assert.equal(ask(target, 'SELECT username FROM users'), 'user_0');
  assert.deepEqual(listFiles('backup'), []);
});

test('a reader that stops early gets no success from backup -', async (t) => {
  const { environment, listFiles } = await createWorld(t, 1);
  const line = '{ "$@"; echo "code $?" >&2; } | head -c 1';
  const command = [process.execPath, pathOf('server.js'), 'backup', '-'];
  const { stderr } = spawnSync('sh', ['-c', line, '-', ...command], {
    env: { ...environment, PATH: process.env['PATH'] ?? '' }, encoding: 'utf8',
  });
  assert.match(stderr, /Cannot back up .* broken pipe\ncode 1\n$/);
  assert.deepEqual(listFiles('backup'), []);
});

test('backup - does not write to a terminal', { skip: skipWithoutTerminal }, async (t) => {
  const { environment: env } = await createWorld(t, 1);
  const words = atTerminal('server.js', 'backup -');
  const { status, stdout } = spawnSync('script', words, { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /^Cannot back up .*: standard output is a terminal: redirect it to a file\r\n$/);
});
