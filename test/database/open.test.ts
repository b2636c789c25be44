import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase, parseDatabaseUrl } from '../../src/database/open.ts';
import { createFolder } from '../support/programs.ts';

test('A URL may say that a commit need not wait for the disk', () => {
  const location = { driver: 'sqlite', path: 'data.sqlite', synchronous: 'normal' };
  assert.deepEqual(parseDatabaseUrl('sqlite:data.sqlite?synchronous=normal'), location);
});

for (const [url, path] of [
  ['sqlite:data/service.sqlite', 'data/service.sqlite'],
  ['sqlite:/var/lib/rollcall.sqlite', '/var/lib/rollcall.sqlite'],
  ['sqlite:///var/lib/rollcall.sqlite', '///var/lib/rollcall.sqlite'],
  ['sqlite::memory:', ':memory:'],
  ['sqlite:with space', 'with space'],
  ['sqlite:data.sqlite?synchronous=full', 'data.sqlite'],
  ['sqlite:data.sqlite?synchronous=off', undefined],
  ['sqlite:data.sqlite?mode=ro', undefined],
  ['sqlite:', undefined],
  ['', undefined],
  ['data/service.sqlite', undefined],
  [':memory:', undefined],
  ['SQLITE:data.sqlite', undefined],
  ['sqlite3:data.sqlite', undefined],
  [' sqlite:data.sqlite', undefined],
  ['postgres://localhost/rollcall', undefined],
] as const) {
  test(`The URL "${url}" names ${path === undefined ? 'no database' : `the file "${path}"`}`, () => {
    assert.deepEqual(parseDatabaseUrl(url), path === undefined ? undefined : { driver: 'sqlite', path });
  });
}

for (const [title, name, reason] of [
  ['a file that is no database', 'notes.txt', /file is not a database/],
  ['a folder', 'folder', /EISDIR/],
  ['a place below a file', 'notes.txt/data.sqlite', /EEXIST|ENOTDIR/],
] as const) {
  test(`The error of opening ${title} names the file and the reason, and keeps the cause`, async (context) => {
    const folder = createFolder(context);
    writeFileSync(join(folder, 'notes.txt'), 'no database, but long enough to be one: '.repeat(100));
    mkdirSync(join(folder, 'folder'));
    const path = join(folder, name);
    await assert.rejects(openDatabase({ driver: 'sqlite', path }), (error: Error) => {
      assert.equal(error.message.startsWith(`Cannot open the database file "${path}": `), true);
      assert.match(error.message, reason);
      assert(error.cause instanceof Error);
      return true;
    });
  });
}
