import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/http/json.ts';

for (const [text, value] of [
  ['{}', {}], ['"scalar"', 'scalar'], ['null', null], ['{"a":1,"a":2}', { a: 2 }],
  [' \t\r\n[1, 2.5e-1, -0, true, false, null, "a"] ', [1, 0.25, -0, true, false, null, 'a']],
  ['"\\ud83d\\udddd \\u0000 \\/ \\""', '🗝 \0 / "'],
  ['{"name":"Jose\\u0301"}', { name: 'Jos\u00e9' }], ['{"name":"Jose\u0301"}', { name: 'Jos\u00e9' }],
  ['{"\\"[":"[[[\\\\"}', { '"[': '[[[\\' }],
] as const) {
  test(`The JSON text ${JSON.stringify(text)} is read`, () => {
    assert.deepEqual(parseJson(Buffer.from(text)), { value });
  });
}

const nest = (open: string, close: string, count: number) => open.repeat(count) + '1' + close.repeat(count);

for (const [reason, texts] of [
  ['it is not well-formed JSON', [
    '', ' ', '{', '}', '[', ']', '{]', '[}', '[]]', '][', '[1,]', '[,1]', '[1,,2]', '[1 2]',
    '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "{'a':1}", '{"a":1 "b":2}', '{"a":1}{}', '{}#', '[1]/**/',
    '// a\n1', '"a', 'a"', "'a'", '"\t"', '"\n"', '"\\x41"', '"\\u12"', '"\\',
    '01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'Infinity', 'undefined', 'True', 'nul',
    '\u00a0{}', '\ufeff{}', '{}\0', '{"password":"s3cret"', 's3cret',
  ]],
  ['it is not valid UTF-8', [
    [0x22, 0xe9, 0x22], // a byte of Latin-1
    [0x22, 0xc0, 0xaf, 0x22], // an overlong slash
    [0x22, 0xed, 0xa0, 0x80, 0x22], // a surrogate
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], // a code point beyond U+10FFFF
    [0x22, 0xe2, 0x82, 0x22], // a character cut short
  ]],
  ['it contains half of a surrogate pair, or more than 30 combining marks in a row', [
    '"\\ud83d"', '"\\udddd\\ud83d"', '[{"a":"x\\udc00"}]', '{"\\ud800":1}', '"s3cret\\ud800"',
  ]],
  ['it is nested deeper than 64 levels', [
    nest('[', ']', 65), nest('{"a":', '}', 65), nest('[{"a":', '}]', 33), nest('[', ']', 100_000),
    nest('{"a":', '}', 100_000), nest('[', ']', 65).replace('1', '"s3cret"'),
  ]],
] as const) {
  for (const text of texts) {
    test(`The text ${JSON.stringify(text).slice(0, 50)} is refused, because ${reason}`, () => {
      assert.deepEqual(parseJson(Buffer.from(text as string)), { reason });
    });
  }
}

test('JSON may be nested 64 levels deep', () => {
  for (const text of [nest('[', ']', 64), nest('{"a":', '}', 64), nest('[{"a":', '}]', 32)]) {
    assert.ok('value' in parseJson(Buffer.from(text)));
  }
});

test('A member "__proto__" is an ordinary member, and changes no prototype', () => {
  const parsed = parseJson(Buffer.from('{"__proto__":{"isAdmin":true}}'));
  assert('value' in parsed);
  assert.deepEqual(Object.keys(parsed.value as object), ['__proto__']);
  assert.equal((parsed.value as { isAdmin?: boolean }).isAdmin, undefined);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});
