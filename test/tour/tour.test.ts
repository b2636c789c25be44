/** The tour of the specification is complete and up to date. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createPage, PAGE, writePage } from './page.ts';

test('every sentence has a test and a declaration, and the page is what "npm run tour" writes', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), createPage(), 'run "npm run tour"');
});

const TABLE = { User: [['1-1', 'Some users are administrators.', 'User']] } as const;
const SOURCES = { 'src/model/user.ts': '\nexport interface User {\n' };
const TWICE = { ...SOURCES, 'src/a.ts': 'export class User {}' };
const TESTS = { 'test/user.test.ts': "// spec 1-1\ntest('ada is an administrator', () => {});\n" };

test('a sentence leads to the line of its declaration and to the line of its test', () => {
  assert.match(
    writePage(TABLE, SOURCES, TESTS),
    /\[User\]\(\.\.\/\.\.\/src\/model\/user\.ts#L2\) \| \[ada is .+\]\(\.\.\/\.\.\/test\/user\.test\.ts#L2\)/,
  );
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
