import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePercent, parseQuery } from '../../src/http/query.ts';

for (const [text, expected] of [
  ['', {}],
  ['&', {}],
  ['a=1', { a: ['1'] }],
  ['a=1&b=2', { a: ['1'], b: ['2'] }],
  ['a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }],
  ['&a=1&&b=2&', { a: ['1'], b: ['2'] }],
  ['a', { a: [''] }],
  ['a=', { a: [''] }],
  ['=1', { '': ['1'] }],
  ['a=b=c', { a: ['b=c'] }],
  ['A=1&a=2', { A: ['1'], a: ['2'] }],

  // Escapes are decoded once, after splitting.
  ['a=b+c', { a: ['b c'] }],
  ['a+b=1', { 'a b': ['1'] }],
  ['a=%2B', { a: ['+'] }],
  ['a=%26b%3D1', { a: ['&b=1'] }],
  ['%61=1', { a: ['1'] }],
  ['a=%2526', { a: ['%26'] }],
  ['a=%25', { a: ['%'] }],
  ['a=%c3%a9', { a: ['é'] }],
  ['a=e%CC%81', { a: ['é'] }],
  ['a=%F0%9F%97%9D', { a: ['🗝'] }],
  ['a=%00%0D%0A', { a: ['\0\r\n'] }],
  ['a=;b', { a: [';b'] }],
  ['__proto__=1&constructor=2', { ['__proto__']: ['1'], constructor: ['2'] }],
] as const) {
  test(`The query "${text}" has the parameters ${JSON.stringify(expected)}`, () => {
    assert.deepEqual([...(parseQuery(text) ?? [])], Object.entries(expected));
  });
}

for (const text of [
  'a=%', 'a=%2', 'a=%zz', 'a=%u0041', '%=1', 'a=1&b=%', 'a=%E9', 'a=%C0%AF', 'a=%ED%A0%80', 'a=%F4%90%80%80',
  'a=%E2%82',
]) {
  test(`The query "${text}" is malformed`, () => {
    assert.equal(parseQuery(text), undefined);
  });
}

test('Outside a query, a plus sign means a plus sign', () => {
  assert.equal(decodePercent('a+b%20c'), 'a+b c');
});
