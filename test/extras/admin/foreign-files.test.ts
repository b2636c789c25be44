/** Tests that no program changes a file of another application, or creates a missing file by mistake. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { COMMANDS } from '../../../src/extras/admin/administer.ts';
import { createFolder, run, startServer } from '../../support/programs.ts';

/** Returns the words of a command with all required arguments. */
function toLine({ name, takes = '' }: (typeof COMMANDS)[number], file: string): string[] {
  const values = { USERNAME: 'ada', ADDRESS: 'a@example.org', FILE: file };
  const required = takes.replace(/\[.*?\]/g, '').replace(/[A-Z]+/g, (word) => values[word as 'FILE']);
  return [name, ...required.split(' ').filter(Boolean)];
}

const FOREIGN = [
  ['a table', 'CREATE TABLE a (b); INSERT INTO a VALUES (1)'],
  ['a table, in WAL mode', 'PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)'],
  ['the application_id of another program', 'PRAGMA application_id = 7; CREATE TABLE a (b); DROP TABLE a'],
  ['our tables without our application_id', 'CREATE TABLE schema_version (version); CREATE TABLE users (id)'],
] as const;

for (const [what, sql] of FOREIGN) {
  test(`server and admin commands refuse and keep a file with ${what}`, async (t) => {
    const folder = createFolder(t);
    const file = join(folder, 'other.sqlite');
    const connection = new DatabaseSync(file);
    connection.exec(sql);
    connection.close();
    const before = readFileSync(file);
    const environment = { DATABASE_URL: `sqlite:${file}`, PORT: '0' };
    const assertUntouched = () => {
      assert.deepEqual(readFileSync(file), before);
      assert.deepEqual(readdirSync(folder).filter((name) => !name.startsWith('given')), ['other.sqlite']);
    };
    const { code, stdout, stderr } = await run('server.js', [], { environment });
    const sentence = `Cannot open the database file "${file}": it is a database of another program`;
    assert.deepEqual([code, stderr], [1, `${sentence}\n`]);
    assert.doesNotMatch(stdout, /listening|    at /);
    assertUntouched();
    for (const command of COMMANDS.filter(({ name }) => name !== 'restore')) {
      const given = join(folder, `given-${command.name}`);
      const outcome = await run('admin.js', toLine(command, given), { environment, input: 'a password\n' });
      assert.equal(outcome.code, 1, command.name);
      assert.match(outcome.stderr, /it is a database of another program\n$/);
      assertUntouched();
    }
  });
}

const MISSING =
  'There is no database at ".*": start the service first, or correct DATABASE_URL|.*: no such file';

for (const [what, name, content, reason] of [
  ['missing', 'data.sqlite', undefined, MISSING],
  ['missing together with its folder', 'nowhere/deep/data.sqlite', undefined, MISSING],
  ['empty', 'data.sqlite', '', '.*: (start the service first, .*|it is not a database .*)'],
] as const) {
  test(`admin commands except restore refuse a file that is ${what}`, async (t) => {
    const folder = createFolder(t);
    const file = join(folder, name);
    if (content !== undefined) {
      writeFileSync(file, content);
    }
    const environment = { DATABASE_URL: `sqlite:${file}` };
    const before = readdirSync(folder);
    for (const command of COMMANDS.filter(({ name }) => name !== 'restore')) {
      const line = toLine(command, join(folder, 'given'));
      const outcome = await run('admin.js', line, { environment, input: 'a password\n' });
      assert.equal(outcome.code, 1, command.name);
      assert.match(outcome.stderr, new RegExp(`^(${reason})\n$`));
      assert.deepEqual(readdirSync(folder), before, command.name);
    }
  });
}

test('each database file of the service has its application_id', async (t) => {
  const file = join(createFolder(t), 'service.sqlite');
  await (await startServer(t, { DATABASE_URL: `sqlite:${file}` })).stop('SIGTERM');
  // the header of the file has the application_id
  assert.equal(readFileSync(file).toString('latin1', 68, 72), 'Roll');
});

test('a database in memory can be served, but not backed up', async (t) => {
  const environment = { DATABASE_URL: 'sqlite::memory:' };
  assert.equal(await (await startServer(t, environment)).stop('SIGTERM'), 0);
  const { code, stderr } = await run('admin.js', ['backup', 'x'], { environment, cwd: createFolder(t) });
  assert.deepEqual([code, stderr], [1, 'Cannot back up a database in memory: set DATABASE_URL to a file\n']);
});
