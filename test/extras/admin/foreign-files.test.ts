import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../../src/extras/admin/commands.ts';
import { createFolder, createInstallation, inFile, run } from '../../support/programs.ts';

function toLine({ name, takes = '' }: (typeof COMMANDS)[number], file: string): string[] {
  const values = { USERNAME: 'ada', ADDRESS: 'a@example.org', FILE: file };
  const required = takes.replace(/\[.*?\]/g, '').replace(/[A-Z]+/g, (word) => values[word as 'FILE']);
  return [name, ...required.split(' ').filter(Boolean)];
}

const made = (sql: string) => (path: string) => inFile(path, (database) => database.exec(sql));

const FOREIGN = /it is a database of another program\n$/;
const MISSING =
  /^(There is no database at ".*": start the service first, or correct DATABASE_URL|.*: no such file)\n$/;

for (const [what, make, reason] of [
  ['with a table', made('CREATE TABLE a (b); INSERT INTO a VALUES (1)'), FOREIGN],
  ['with a table, in WAL mode',
    made('PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)'), FOREIGN],
  ['with the application_id of another program',
    made('PRAGMA application_id = 7; CREATE TABLE a (b); DROP TABLE a'), FOREIGN],
  ['with our tables without our application_id',
    made('CREATE TABLE schema_version (version); CREATE TABLE users (id)'), FOREIGN],
  ['that is missing', () => {}, MISSING],
  ['that is missing together with its folder', (path: string) => rmdirSync(dirname(path)), MISSING],
  ['that is empty', (path: string) => writeFileSync(path, ''),
    /^.*: (start the service first, .*|it is not a database .*)\n$/],
] as const) {
  const programs = reason === FOREIGN ? 'server and admin commands' : 'admin commands except restore';
  test(`${programs} refuse and keep a file ${what}`, async (t) => {
    const root = createFolder(t);
    const path = join(root, 'data/service.sqlite');
    mkdirSync(dirname(path));
    make(path);
    const readAll = () => readdirSync(root, { recursive: true, withFileTypes: true })
      .map((entry) => [entry.name, entry.isFile() && readFileSync(join(entry.parentPath, entry.name))]);
    const before = readAll();
    const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0' };
    if (reason === FOREIGN) {
      const { code, stdout, stderr } = await run('server.js', [], { environment });
      const sentence = `Cannot open the database file "${path}": it is a database of another program`;
      assert.deepEqual([code, stderr], [1, `${sentence}\n`]);
      assert.doesNotMatch(stdout, /listening|    at /);
      assert.deepEqual(readAll(), before);
    }
    for (const command of COMMANDS.filter(({ name }) => name !== 'restore')) {
      const line = toLine(command, join(root, 'given'));
      const { code, stderr } = await run('admin.js', line, { environment, input: 'a password\n' });
      assert.equal(code, 1, command.name);
      assert.match(stderr, reason);
      assert.deepEqual(readAll(), before, command.name);
    }
  });
}

test('an in-memory database can be served, but not backed up', async (t) => {
  const { start, admin } = createInstallation(t, { DATABASE_URL: 'sqlite::memory:' });
  assert.equal(await (await start()).stop('SIGTERM'), 0);
  const { code, stderr } = await admin('backup x');
  const message = 'Cannot back up an in-memory database: set DATABASE_URL to the URL of a database file\n';
  assert.deepEqual([code, stderr], [1, message]);
});
