/** Students, auditors and new colleagues read the listed files, so the test limits the length of the list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurePath } from '../../scripts/reading-list/measure.ts';
import { chooseFiles, createReadingList } from '../../scripts/reading-list/page.ts';
import { read } from '../support/project.ts';

/** Raise a limit only for a good reason. */
const FILES_MAX = 42;
const LINES_MAX = 4_500;

test('the reading list is short, and names each file that the 14 operations enter', async (t) => {
  const shares = await measurePath();
  const { listed: files } = chooseFiles(shares);
  const lines = files.flatMap((file) => read(`src/${file}`).split('\n')).length;
  t.diagnostic(`${files.length} files, ${lines} lines`);
  const page = read('scripts/reading-list/README.md');
  assert.deepEqual(createReadingList(shares).split('\n'), page.split('\n'), 'run "npm run docs"');
  assert.ok(files.length <= FILES_MAX, `${files.length} files`);
  assert.ok(lines <= LINES_MAX, `${lines} lines`);
  // After each failed sign-in, the core calls `extras/audit`. The reading list omits all extras.
  const extras = [...shares.keys()].filter((file) => file.startsWith('extras/'));
  assert.deepEqual(extras, ['extras/audit/failure-report.ts']);
});
