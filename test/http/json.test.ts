import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/http/json.ts';

for (const [text, value] of [
  ['{}', {}],
  [' \t\r\n[1, 2.5e-1, -0, true, false, null, "a"] ', [1, 0.25, -0, true, false, null, 'a']],
  ['"scalar"', 'scalar'],
  ['null', null],
  ['{"a":1,"a":2}', { a: 2 }],
  ['"\\ud83d\\udddd \\u0000 \\/ \\""', '🗝 \0 / "'],
  ['{"name":"Jose\\u0301"}', { name: 'Jos\u00e9' }],
  ['{"name":"Jose\u0301"}', { name: 'Jos\u00e9' }],
  ['{"\\"[":"[[[\\\\"}', { '"[': '[[[\\' }],
] as const) {
  test(`The JSON text ${JSON.stringify(text)} is read`, () => {
    assert.deepEqual(parseJson(Buffer.from(text)), { value });
  });
}

for (const text of [
  '', ' ', '{', '}', '[', ']', '{]', '[}', '[]]', '][', '[1,]', '[,1]', '[1,,2]', '[1 2]',
  '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "{'a':1}", '{"a":1 "b":2}', '{"a":1}{}', '{}#', '[1]/**/',
  '// a\n1',
  '"a', 'a"', "'a'", '"\t"', '"\n"', '"\\x41"', '"\\u12"', '"\\',
  '01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'Infinity', 'undefined', 'True', 'nul',
  '\u00a0{}', '\ufeff{}', '{}\0',
]) {
  test(`The text ${JSON.stringify(text)} is not well-formed JSON`, () => {
    assert.deepEqual(parseJson(Buffer.from(text)), { reason: 'it is not well-formed JSON' });
  });
}

for (const [title, bytes] of [
  ['a byte of Latin-1', [0xe9]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['a character cut short', [0xe2, 0x82]],
] as const) {
  test(`A string that contains ${title} is not UTF-8`, () => {
    const body = Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from('"')]);
    assert.deepEqual(parseJson(body), { reason: 'it is not valid UTF-8' });
  });
}

for (const text of ['"\\ud83d"', '"\\udddd\\ud83d"', '[{"a":"x\\udc00"}]', '{"\\ud800":1}']) {
  test(`The text ${text} is refused for half of a surrogate pair`, () => {
    const reason = 'it contains half of a surrogate pair, or more than 30 combining marks in a row';
    assert.deepEqual(parseJson(Buffer.from(text)), { reason });
  });
}

for (const [open, close] of [['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']] as const) {
  const levels = open.startsWith('[{') ? 2 : 1;
  const nest = (depth: number) =>
    Buffer.from(open.repeat(depth / levels) + '1' + close.repeat(depth / levels));
  test(`Text of ${open} may be nested at most 64 levels deep`, () => {
    const reason = 'it is nested deeper than 64 levels';
    assert.ok('value' in parseJson(nest(64)));
    assert.deepEqual(parseJson(nest(64 + levels)), { reason });
    assert.deepEqual(parseJson(nest(100_000)), { reason });
  });
}

test('A member "__proto__" is an ordinary member, and changes no prototype', () => {
  const parsed = parseJson(Buffer.from('{"__proto__":{"isAdmin":true}}'));
  assert('value' in parsed);
  assert.deepEqual(Object.keys(parsed.value as object), ['__proto__']);
  assert.equal((parsed.value as { isAdmin?: boolean }).isAdmin, undefined);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test('The reason for a refusal never quotes the body', () => {
  for (const text of ['{"password":"s3cret"', '"s3cret\\ud800"', `${'['.repeat(65)}"s3cret"`, 's3cret']) {
    assert.doesNotMatch(JSON.stringify(parseJson(Buffer.from(text))), /s3cret/);
  }
});
