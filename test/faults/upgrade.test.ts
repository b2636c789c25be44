import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { createDisk, skipWithoutDisks } from '../support/disks.ts';
import { testUnless } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { findFreePort } from '../support/listen.ts';
import {
  columnIn, createFolder, createInstallation, inFile, launchServer, run, type Launch,
} from '../support/programs.ts';
import { readMib } from '../support/process-use.ts';
import { createReleasedFile, readVersionOf } from '../support/released-database.ts';

const KILLS = inFull(60, { short: 10 });
/** With 10,000 projects, the upgrade takes a third of the service's startup time. */
const PROJECTS = 10_000;
const MEGABYTE = 1_048_576;
const COPY = `service.sqlite.before-v${SCHEMA_VERSION}`;

function createLargeFile(t: TestContext, description = 'some text'): string {
  const path = join(createFolder(t), 'service.sqlite');
  createReleasedFile(path, 5);
  inFile(path, (database) => database.prepare(`
    INSERT INTO projects (name, name_key, owner_id, date_created, description)
    SELECT 'project ' || value, 'project ' || value, 1 + value % 5, '2026-11-23T00:00:00.000Z', ?
    FROM json_each(?)`).run(description, JSON.stringify([...Array(PROJECTS).keys()])));
  return path;
}

/** Inspects a copy on another disk, because SQLite cannot open a file on the small disk. */
function inspect(t: TestContext, path: string) {
  const twin = join(createFolder(t), 'twin');
  const ends = readdirSync(join(path, '..')).filter((name) => /^service\.sqlite(-wal)?$/.test(name));
  ends.forEach((name) => copyFileSync(join(path, '..', name), twin + name.slice('service.sqlite'.length)));
  const [count] = columnIn(twin, 'SELECT count(*) FROM projects');
  return { version: readVersionOf(twin), count };
}

const installed = (t: TestContext, folder: string) => createInstallation(t, {}, `${folder}/service.sqlite`);

async function startAndStop(t: TestContext, folder: string, launch?: Launch): Promise<void> {
  assert.equal(await (await installed(t, folder).start(launch)).stop('SIGTERM'), 0);
}

const listCopies = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(COPY));

test(`${KILLS} times kill -9 while an upgrade runs leaves the old or the new tables, whole`, async (t) => {
  const original = createLargeFile(t);
  const expected = inspect(t, original).count;
  let startMs = 0;
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const { folder, path, environment, start } = createInstallation(t);
    copyFileSync(original, path);
    const startedAtMs = performance.now();
    if (kill === 0) {
      await (await start()).stop('SIGKILL');
      startMs = performance.now() - startedAtMs;
    } else {
      const killAfterMs = Math.ceil(startMs * (0.3 + 0.7 * kill / KILLS));
      await run('server.js', [], { environment, killAfterMs });
    }
    const { version, count } = inspect(t, path);
    assert.ok(version === 5 || version === SCHEMA_VERSION, String(version));
    assert.equal(count, expected);
    assert.ok(version === 5 || listCopies(folder).includes(COPY), 'the old data is kept');
    await startAndStop(t, folder);
    assert.deepEqual(inspect(t, path), { version: SCHEMA_VERSION, count: expected });
    assert.equal(readVersionOf(join(folder, COPY)), 5);
  }
});

test('SIGTERM during an upgrade ends with 0, the file is whole, the next start completes it', async (t) => {
  const path = createLargeFile(t);
  const folder = join(path, '..');
  const { count } = inspect(t, path);
  const server = launchServer(t, installed(t, folder).environment);
  await server.untilLogged('upgrading database');
  assert.equal(await server.stop('SIGTERM'), 0);
  const stopped = inspect(t, path);
  assert.ok(stopped.version === 5 || stopped.version === SCHEMA_VERSION, String(stopped.version));
  assert.equal(stopped.count, count);
  await startAndStop(t, folder);
  assert.deepEqual(inspect(t, path), { version: SCHEMA_VERSION, count });
  assert.equal(listCopies(folder).length, 1);
});

test('while an upgrade runs, GET /livez is answered, and the rows need no memory', async (t) => {
  const path = createLargeFile(t, 'a long text. '.repeat(300));
  const folder = join(path, '..');
  assert.ok(statSync(path).size > 70 * MEGABYTE);
  const port = await findFreePort();
  const { environment, start } = installed(t, folder);
  const server = launchServer(t, { ...environment, PORT: String(port) });
  await server.untilLogged('upgrading database');
  let isUpgraded = false;
  void server.untilLogged('database upgraded').then(() => { isUpgraded = true; });
  // While the upgrade runs its statements, the write-ahead log grows. If the upgrade blocked the thread of
  // the server, all responses would wait until the upgrade ends.
  const readLogBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const atAnswers: number[] = [];
  let bytesMax = 0;
  while (!isUpgraded) {
    const hasBegun = readLogBytes() > 0;
    assert.equal((await call(port, 'GET /livez')).status, 200);
    const bytes = readLogBytes();
    bytesMax = Math.max(bytesMax, bytes);
    if (hasBegun && bytes > 0) {
      atAnswers.push(bytes);
    }
    await pause(10); // without the pause, the garbage of many requests would distort the measured memory
  }
  t.diagnostic(`log: ${bytesMax} bytes; at answers: ${atAnswers.join(' ')}`);
  assert.ok(atAnswers.some((bytes) => bytes < bytesMax));
  await server.untilLogged('listening');
  const upgradeMib = readMib(server.process.pid, 'VmHWM');
  assert.equal(await server.stop('SIGTERM'), 0);
  const later = await start();
  const laterMib = readMib(later.process.pid, 'VmHWM');
  assert.equal(await later.stop('SIGTERM'), 0);
  t.diagnostic(`${upgradeMib} MiB with the upgrade, ${laterMib} MiB later`);
  assert.ok(upgradeMib - laterMib < 50, `${upgradeMib - laterMib} MiB`);
  assert.deepEqual(readdirSync(folder).sort(), ['service.sqlite', COPY], 'no temporary file');
});

testUnless(skipWithoutDisks).each('{0} stops an upgrade before any change; later it succeeds', [
  ['no space for it', 6 * MEGABYTE, false, /needs \d+ MB of free disk space, but only \d+ MB are free/],
  ['a read-only disk', 64 * MEGABYTE, true,
    /Cannot open the database file .*: .*(readonly|read-only|unable)/],
], async (t, [, bytes, isReadOnly, reason]) => {
  const disk = await createDisk(t, bytes);
  const original = createLargeFile(t);
  copyFileSync(original, `${disk.outside}/service.sqlite`);
  disk.remount(isReadOnly ? 'ro' : 'rw');
  await assert.rejects(installed(t, disk.folder).start(disk), reason);
  assert.deepEqual(readFileSync(`${disk.outside}/service.sqlite`), readFileSync(original));
  assert.deepEqual(listCopies(disk.outside), []);
  disk.remount(`rw,size=${64 * MEGABYTE}`);
  await startAndStop(t, disk.folder, disk);
  assert.deepEqual(listCopies(disk.outside), [COPY]);
  assert.equal(inspect(t, `${disk.outside}/service.sqlite`).version, SCHEMA_VERSION);
});

test('a foreign view of a dropped column stops an upgrade midway, and the upgrade is undone', async (t) => {
  const path = createLargeFile(t);
  const folder = join(path, '..');
  inFile(path, (database) => database.exec('CREATE VIEW heads AS SELECT head FROM projects'));
  const before = readFileSync(path);
  await assert.rejects(installed(t, folder).start(), /Cannot upgrade the database .*: error in view heads/);
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(listCopies(folder), []);
  inFile(path, (database) => database.exec('DROP VIEW heads'));
  await startAndStop(t, folder);
  assert.equal(inspect(t, path).version, SCHEMA_VERSION);
});
