/**
 * Tests that the reading list names exactly the files whose functions run during the 14 operations.
 * Students, auditors and new colleagues read these files, so the test also limits the length of the list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPath } from '../../scripts/reading-list/measure.ts';
import { createReadingList } from '../../scripts/reading-list/page.ts';
import { read } from '../support/project.ts';

/** Limits on the length of the reading list. A limit may be raised only with a reason. */
const FILES_MAX = 50;
const LINES_MAX = 5_000;

test('the 14 operations of the specification enter exactly the files of the reading list', async (t) => {
  const files = await findPath();
  const lines = files.flatMap((file) => read(`src/${file}`).split('\n')).length;
  t.diagnostic(`${files.length} files, ${lines} lines`);
  const page = read('scripts/reading-list/README.md');
  assert.deepEqual(createReadingList(files).split('\n'), page.split('\n'), 'run "npm run docs"');
  assert.ok(files.length <= FILES_MAX, `${files.length} files`);
  assert.ok(lines <= LINES_MAX, `${lines} lines`);
  assert.deepEqual(files.filter((file) => file.startsWith('extras/')), []);
});
