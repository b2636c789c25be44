import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mustRun } from '../support/commands.ts';
import { each } from '../support/each.ts';
import { createInstallation } from '../support/programs.ts';
import { read } from '../support/project.ts';
import { exercises } from './exercises.ts';
import { createWalk, quote } from './page.ts';
import { COMMAND, LOG_LINE, RESPONSE } from './steps.ts';

test('the walk has ten exercises, and at most 2 000 words: a class walks it in one lesson', () => {
  assert.equal(exercises.length, 10);
  assert.ok(createWalk().split(/\s+/).length <= 2_000);
});

/** Some parts of a response are different in each run. A placeholder replaces each of these parts. */
const toForm = (text: string) => text
  .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'INSTANT')
  .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
  .replace(/"duration_ms":\d+(?:\.\d{1,3})?/g, '"duration_ms":TIME');

test('after the example of the front page, the command has the shown response and log line', async (t) => {
  const pattern = /## The API by example\n\n```sh\nbase=.*\n([^]*?)\ncurl .* -X DELETE .*\n(?:#.*\n)*```/;
  const [, example] = pattern.exec(read('README.md')) ?? [];
  assert.ok(example !== undefined);
  const { port, logLines, stop } = await createInstallation(t).start();
  const script = [
    'set -eu -o pipefail', 'curl() { command curl --silent --fail "$@"; }', `base=http://127.0.0.1:${port}`,
    'before() {', example, '}', 'before > /dev/null', COMMAND.replace('127.0.0.1:8080', `127.0.0.1:${port}`),
  ].join('\n');
  const [head = '', body] = mustRun('bash', ['-c', script]).replaceAll('\r', '').split('\n\n');
  const [shownHead = '', shownBody = ''] = RESPONSE.split('\n\n');
  assert.deepEqual(shownHead.split('\n').filter((line) => !head.split('\n').includes(line)), []);
  assert.equal(toForm(body ?? ''), toForm(shownBody));
  await stop('SIGTERM');
  const line = logLines.findLast((text) => text.includes('"POST","route":"/api/v1/projects"'));
  assert.equal(toForm(line ?? ''), toForm(LOG_LINE));
});

const SOURCES = { 'a.ts': 'if (a) {\n  begin();\n    more();\n  end();\n}\nbegin2();\nbegin2();\n' };

each('an excerpt {0} is refused', [
  ['that begins nowhere', 'start()', 'end();', /Expected "start\(\)" once in src\//],
  ['that begins in two places', 'begin2()', 'end();', /Expected "begin2\(\)" once in a\.ts/],
  ['that begins in two files', 'if (', 'end();', /Expected "if \(" in one file, found it in a\.ts and b\.ts/],
  ['that does not end', '  end();', 'more', /a\.ts:4: expected "more" within 45 lines/],
], ([, from, to, message]) => {
  assert.throws(() => quote({ from, to }, { ...SOURCES, 'b.ts': 'if (b);' }), message);
});
