import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTour } from './page.ts';
import { each } from '../support/each.ts';

const TABLE = { User: [['1-1', 'Some users are administrators.', 'interface User']] } as const;
const SOURCES = { 'src/model/user.ts': '\nexport interface User {\n' };
const TESTS = { 'test/user.test.ts': "// spec 1-1\ntest('ada is an administrator', () => {});\n" };

test('a sentence links to its line, and to the lines of its tests', () => {
  assert.ok(writeTour(TABLE, SOURCES, TESTS).includes(
    '**1-1** Some users are administrators. [src/model/user.ts:2](../../src/model/user.ts#L2), ' +
      '[user:2](../../test/user.test.ts#L2)\n',
  ));
});

test('a sentence may link to a line below the text that occurs once', () => {
  const table = { User: [['1-1', 'Some users are administrators.', 'interface User', 'isAdmin']] } as const;
  const sources = { 'src/user.ts': 'let isAdmin;\ninterface User {\n  isAdmin: boolean;\n}' };
  assert.match(writeTour(table, sources, TESTS), /\[src\/user\.ts:3\]\(/);
});

test('a sentence without a test is refused', () => {
  assert.throws(() => writeTour(TABLE, SOURCES, {}), {
    message: '1-1: no test has the comment "// spec 1-1"',
  });
});

each('a comment {0} is refused', [
  ['of no sentence', "// spec 1-1, 1-2\ntest('a', run)", 'test/a.ts:2: the tour has no sentence 1-2'],
  ['above no test', '// spec 1-1\nrun();', 'test/a.ts:2: expected a test below the comment "// spec 1-1"'],
], ([, text, message]) => {
  const tests = { ...TESTS, 'test/a.ts': text };
  assert.throws(() => writeTour(TABLE, SOURCES, tests), { message });
});
