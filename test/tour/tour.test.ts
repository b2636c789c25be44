/** The tour of the specification is complete and up to date. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createPage, PAGE, writePage } from './page.ts';

test('every sentence has a test and a declaration, and the page is the output of "npm run tour"', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), createPage(), 'run "npm run tour"');
});

const TABLE = { User: [['1-1', 'Some users are administrators.', 'User']] } as const;
const SOURCES = { 'src/model/user.ts': '\nexport interface User {\n' };
const TWICE = { ...SOURCES, 'src/a.ts': 'export class User {}' };
const TESTS = { 'test/user.test.ts': "// spec 1-1\ntest('ada is an administrator', () => {});\n" };

test('a sentence links to the line of its declaration and to the line of its test', () => {
  const [declaration = '', shown = ''] = writePage(TABLE, SOURCES, TESTS).split('\n').slice(-3);
  assert.equal(
    declaration, '- [src/model/user.ts:2](../../src/model/user.ts#L2) `export interface User {`',
  );
  assert.equal(shown, '- shown by [ada is an administrator](../../test/user.test.ts#L2)');
});

test('a sentence may link to a line below its declaration, and titles stay readable', () => {
  const table = { User: [['1-1', 'Some users are administrators.', 'User', 'isAdmin']] } as const;
  const sources = { 'src/user.ts': 'let isAdmin;\ninterface User {\n  isAdmin: boolean;\n}' };
  const tests = { 'test/user.test.ts': '// spec 1-1\ntest(`${name} is ${role} here`, () => {});\n' };
  const page = writePage(table, sources, tests);
  assert.match(page, /\[src\/user\.ts:3\]\(.+#L3\) `isAdmin: boolean;`\n- shown by \[… is … here\]/);
  assert.throws(() => writePage(table, { 'src/user.ts': 'interface User {' }, tests), {
    message: '1-1: expected a line with "isAdmin" below the declaration of User',
  });
});

for (const [mistake, sources, tests, message] of [
  ['without a declaration', {}, TESTS, '1-1: expected one declaration of User in src/, found 0'],
  ['with two declarations', TWICE, TESTS, '1-1: expected one declaration of User in src/, found 2'],
  ['without a test', SOURCES, {}, '1-1: no test has the comment "// spec 1-1"'],
] as const) {
  test(`a sentence ${mistake} is refused`, () => {
    assert.throws(() => writePage(TABLE, sources, tests), { message });
  });
}

for (const [mistake, text, message] of [
  ['of no sentence', "// spec 1-1, 1-2\ntest('a', run)", 'test/a.ts:2: the tour has no sentence 1-2'],
  ['above no test', '// spec 1-1\nrun();', 'test/a.ts:2: expected a test below the comment "// spec 1-1"'],
] as const) {
  test(`a comment ${mistake} is refused`, () => {
    const tests = { ...TESTS, 'test/a.ts': text };
    assert.throws(() => writePage(TABLE, SOURCES, tests), { message });
  });
}
