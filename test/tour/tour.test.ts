/** documentation.test.ts compares the page itself with the generated text. */
import assert from 'node:assert/strict';
import { writeTour } from './page.ts';
import { each } from '../support/each.ts';

const TABLE = { User: [['1-1', 'Some users are administrators.', 'interface User']] } as const;
const SOURCES = { 'src/model/user.ts': '\nexport interface User {\n' };

each('{0} is refused', [
  ['a sentence without a test', '', '1-1: no test has the comment "// spec 1-1"'],
  ['a comment of no sentence', "// spec 1-1, 1-2\ntest('a', run)", 'a.ts:2: the tour has no sentence 1-2'],
  ['a comment above no test', '// spec 1-1\nrun', 'a.ts:2: expected a test below the comment "// spec 1-1"'],
], ([, text, message]) => {
  assert.throws(() => writeTour(TABLE, SOURCES, { 'a.ts': text }), { message });
});
