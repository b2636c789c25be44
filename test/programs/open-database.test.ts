import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDatabase, openReadyDatabase } from '../../src/programs/database.ts';
import { late } from '../../src/programs/extras.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '../../src/stores/schema.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { each } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';
import { createReleasedFile, fillAsReleased } from '../support/released-database.ts';

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

const NODES = [{ host: 'a.example', port: 4001 }, { host: 'b.example', port: 4001 }] as const;
const CLUSTER = { driver: 'rqlite', nodes: NODES, usesTls: false, credentials: undefined } as const;

type Extras = { readonly [Name in keyof typeof late]?: (typeof late)[Name] | undefined };

function replaceExtras(t: TestContext, extras: Extras): void {
  const before = { ...late };
  t.after(() => Object.assign(late, before));
  Object.assign(late, extras);
}

test('Without a cluster driver, opening a cluster fails with an error that names the nodes', async (t) => {
  replaceExtras(t, { openRqlite: undefined });
  await assert.rejects(
    openDatabase(CLUSTER), /cluster at a\.example:4001, b\.example:4001: this program has no cluster driver/,
  );
});

/** Opens a database of version 5. In place of a cluster, uses SQLite in memory. @returns The log. */
async function openEarlier(t: TestContext, driver: 'file' | 'cluster', extras: Extras = {}) {
  const path = join(createFolder(t), 'data.sqlite');
  createReleasedFile(path, 5);
  const earlier = await openSqlite({ driver: 'sqlite', path: ':memory:' });
  await fillAsReleased(earlier, 5, true);
  replaceExtras(t, { openRqlite: async () => earlier, ...extras });
  const lines: unknown[] = [];
  const log: Log = (_, line, fields) => lines.push([line, fields?.['from'], fields?.['schema_version']]);
  const location = driver === 'file' ? { driver: 'sqlite', path } as const : CLUSTER;
  const database = await openReadyDatabase(location, log, log);
  assert.equal(await readSchemaVersion(database), SCHEMA_VERSION);
  await database.close();
  return lines;
}

each('A {0} of an earlier version is upgraded and logged before it is used', [
  ['file', 5], ['cluster', undefined],
] as const, async ([driver, from], t) => {
  assert.deepEqual(await openEarlier(t, driver), [
    ['upgrading database', 5, SCHEMA_VERSION], ['database upgraded', from, SCHEMA_VERSION],
  ]);
});

each('Without the extra for data, a {0} of an earlier version is refused in one sentence', [
  'file', 'cluster',
] as const, async (driver, t) => {
  const message = `The database has schema version 5, but this program needs ${SCHEMA_VERSION}: ` +
    'run the version that made the database';
  const withoutData = { upgradeFile: undefined, upgradeTables: undefined };
  await assert.rejects(openEarlier(t, driver, withoutData), { message });
});
