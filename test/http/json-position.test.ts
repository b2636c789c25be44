import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findJsonMistake } from '../../src/http/json-position.ts';

for (const [text, line, column] of [
  ['', 1, 1],
  ['  ', 1, 3],
  ['x', 1, 1],
  ['{"name":"engine"', 1, 17],
  ['{"name":"engine",}', 1, 18],
  ['{"name" "engine"}', 1, 9],
  ['{name:"engine"}', 1, 2],
  ["{'name':1}", 1, 2],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{\r\n"a": tru}', 2, 6],
  ['{"a":"unterminated}', 1, 6],
  ['{"a":"bad \\x escape"}', 1, 6],
  ['{"a":"line\nbreak"}', 1, 6],
  ['[1,]', 1, 4],
  ['[,1]', 1, 2],
  ['[1 2]', 1, 4],
  ['[1}', 1, 3],
  ['{"a":1]', 1, 7],
  ['[]]', 1, 3],
  ['{}{}', 1, 3],
  ['1,', 1, 2],
  ['01', 1, 2],
  ['-', 1, 1],
  ['1.', 1, 2],
  ['{"a":{"b":[1,{"c":}]}}', 1, 19],
  ['\ufeff{}', 1, 1],
  ['username=ada&password=pw', 1, 1],
] as const) {
  test(`In ${JSON.stringify(text)} the mistake is at line ${line}, column ${column}`, () => {
    assert.throws(() => JSON.parse(text));
    assert.deepEqual(findJsonMistake(text), { line, column });
  });
}

test('A mistake at the end of a body of maximum size is found in one pass', () => {
  for (const text of [`["${'\\n'.repeat(65_000)}`, `[${'1,'.repeat(65_000)}`, `"${'a'.repeat(131_000)}`]) {
    assert.equal(findJsonMistake(text).line, 1);
  }
});
