import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/programs/database.ts';
import { late } from '../../src/programs/extras.ts';
import { each } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';

each('The error for {0} names the file and the reason, and keeps the cause', [
  ['a folder', 'folder', /EISDIR/],
  ['a path below a file', 'notes.txt/data.sqlite', /EEXIST|ENOTDIR/],
], async ([, name, reason], context) => {
  const folder = createFolder(context);
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  mkdirSync(join(folder, 'folder'));
  const path = join(folder, name);
  await assert.rejects(openDatabase({ driver: 'sqlite', path }), ({ message, cause }: Error) => {
    assert.ok(message.startsWith(`Cannot open the database file "${path}": `));
    assert.match(message, reason);
    return cause instanceof Error;
  });
});

test('Without a cluster driver, opening a cluster fails with an error that names the nodes', async (t) => {
  const { openRqlite } = late;
  t.after(() => Object.assign(late, { openRqlite }));
  Object.assign(late, { openRqlite: undefined });
  const nodes = [{ host: 'a.example', port: 4001 }, { host: 'b.example', port: 4001 }] as const;
  await assert.rejects(
    openDatabase({ driver: 'rqlite', nodes, usesTls: false, credentials: undefined }),
    /cluster at a\.example:4001, b\.example:4001: this program has no cluster driver/,
  );
});
