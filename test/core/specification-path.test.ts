/**
 * Tests that the reading list names exactly the files whose functions run during the 14 operations.
 * Students, auditors and new colleagues read these files, so the test also limits the length of the list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPath } from '../../scripts/reading-list/measure.ts';
import { createReadingList } from '../../scripts/reading-list/page.ts';
import { read } from '../support/project.ts';

/** Limits on the length of the reading list. Raise a limit only for a good reason. */
const FILES_MAX = 45;
const LINES_MAX = 4_850;

test('the 14 operations of the specification enter exactly the files of the reading list', async (t) => {
  const entered = await findPath();
  const files = entered.filter((file) => !file.startsWith('extras/'));
  const lines = files.flatMap((file) => read(`src/${file}`).split('\n')).length;
  t.diagnostic(`${files.length} files, ${lines} lines`);
  const page = read('scripts/reading-list/README.md');
  assert.deepEqual(createReadingList(files).split('\n'), page.split('\n'), 'run "npm run docs"');
  assert.ok(files.length <= FILES_MAX, `${files.length} files`);
  assert.ok(lines <= LINES_MAX, `${lines} lines`);
  // After each failed sign-in, the core calls the extra `audit`, which is not on the list.
  assert.deepEqual(entered.filter((file) => !files.includes(file)), ['extras/audit/failure-report.ts']);
});
