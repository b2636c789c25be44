/** The tour of the specification: true, up to date, and complete. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createPage, PAGE } from './page.ts';
import { findPlaces } from './places.ts';
import type { Sentence } from './sentence.ts';
import { splitSpecification } from './specification.ts';

test('the page of the tour is what "npm run tour" writes', async () => {
  assert.equal(readFileSync(PAGE, 'utf8'), await createPage(), 'a line or a test has moved: run "npm run tour"');
});

const TRUE: Sentence = {
  says: 'Some users are administrators.',
  source: { 'model/user.ts': 'readonly isAdmin: boolean' },
  tests: { 'api/01-liveness.test.ts': 'GET /index answers 200 with a message, without authentication' },
};

for (const [title, sentence, expected] of [
  ['with a line that is not there', { ...TRUE, source: { 'model/user.ts': 'isAdministrator' } }, /1-1: src\/model\/user\.ts does not have this once/],
  ['with a line that is there twice', { ...TRUE, source: { 'model/user.ts': 'readonly' } }, /does not have this once/],
  ['with a file that is not there', { ...TRUE, source: { 'model/nobody.ts': 'x' } }, /ENOENT/],
  ['with a title that no test has', { ...TRUE, tests: { 'api/01-liveness.test.ts': 'GET /other answers 200' } }, /does not have one test with this title/],
  ['with a title as it is written in the table', { ...TRUE, tests: { 'api/01-liveness.test.ts': '${line} answers 200 with a message, without authentication' } }, /does not have one test/],
  ['without a source', { ...TRUE, source: {} }, /there is no source or no test/],
  ['without a test', { ...TRUE, tests: {} }, /there is no source or no test/],
] as const) {
  test(`a sentence ${title} is refused`, async () => {
    await assert.rejects(findPlaces([{ number: '1', title: '', sentences: [sentence] }]), expected);
  });
}

test('a sentence that is true leads to the line of the source and to that of the test', async () => {
  const [section] = await findPlaces([{ number: '1', title: '', sentences: [TRUE] }]);
  for (const { file, line, text } of [...(section?.sentences[0]?.source ?? []), ...(section?.sentences[0]?.tests ?? [])]) {
    const lines = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split('\n');
    assert.match(lines[line - 1] ?? '', text.startsWith('GET') ? /test\(`\$\{line\} answers 200/ : /readonly isAdmin: boolean/);
  }
});

test('a specification is taken apart into sentences, items and rows, numbered below their headings', () => {
  const text = [
    '# Title', 'One. Two', 'goes on.', '## First', '- Three: `a` is. 404 is four.', '- five, without an end', '### Part', 'A list:',
    '1. Six.', '2. Seven.', '', '| Name | Type |', '|---|---|', '| eight | x. y |', '| nine | z |', '', '### Other', 'Ten.', '## Second', 'Eleven.',
  ].join('\n');
  assert.deepEqual([...splitSpecification(text).keys()], ['0-1', '0-2', '1-1', '1-2', '1-3', '1.1-1', '1.1-2', '1.1-3', '1.1-4', '1.2-1', '2-1']);
  assert.equal(splitSpecification(text).get('1.1-3'), '| eight | x. y |');
});
