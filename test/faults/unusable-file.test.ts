import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDisk, skipWithoutDisks } from '../support/disks.ts';
import { each } from '../support/each.ts';
import { createInstallation } from '../support/programs.ts';

const PAGE_BYTES = 4_096;
/** No page of a SQLite file begins with this byte. */
const GARBAGE = 0xaa;

each('a file {0} is refused', [
  ['that is no database', () => Buffer.from('No database, but long enough to be taken for one.'.repeat(20)),
    /file is not a database/],
  ['without its header', (content: Buffer) => Buffer.from(content).fill(0, 0, 16), /file is not a database/],
  ['cut in half', (content: Buffer) => content.subarray(0, content.length / 2), /malformed/],
  ['cut within its first page', (content: Buffer) => content.subarray(0, PAGE_BYTES / 2), /malformed/],
  ['with a page overwritten',
    (content: Buffer) => Buffer.from(content).fill(GARBAGE, 4 * PAGE_BYTES, 5 * PAGE_BYTES),
    /it is damaged: /],
], async ([, damage, sentence], t) => {
  const { path, start, serve } = createInstallation(t);
  assert.equal(await (await start()).stop('SIGTERM'), 0);
  writeFileSync(path, damage(readFileSync(path)));
  const before = readFileSync(path);
  const { code, stdout, stderr } = await serve();
  assert.equal(code, 1);
  assert.match(stderr, /^[^\n]*\n$/);
  assert.ok(stderr.startsWith(`Cannot open the database file "${path}": `), stderr);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stdout, /"message":"listening"/);
  assert.deepEqual(readFileSync(path), before);
});

test('a file on a disk that cannot be written is refused', { skip: skipWithoutDisks }, async (t) => {
  const disk = await createDisk(t, 4_194_304);
  const { start } = createInstallation(t, {}, `${disk.folder}/service.sqlite`);
  assert.equal(await (await start(disk)).stop('SIGTERM'), 0);
  disk.remount('ro');
  const reason = /ended with 1: Cannot open the database file "[^"]*": EROFS: read-only file system/;
  await assert.rejects(start(disk), reason);
});
