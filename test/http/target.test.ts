import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, parseTarget } from '../../src/http/router.ts';
import { each } from '../support/each.ts';

each('The target "{0}" has the path {1} of {2}', [
  // Targets in origin form (RFC 9112 §3.2.1).
  ['/', '/', [''], []], ['/?', '/', [''], []],
  ['/a', '/a', ['a'], []], ['/a?', '/a', ['a'], []], ['/a/', '/a/', ['a', ''], []],
  ['//a', '//a', ['', 'a'], []], ['//a.example/b', '//a.example/b', ['', 'a.example', 'b'], []],
  ['/a?b=1', '/a', ['a'], [['b', ['1']]]], ['/a?b=/c?d', '/a', ['a'], [['b', ['/c?d']]]],
  ['/a:b@c;d=e,f', '/a:b@c;d=e,f', ['a:b@c;d=e,f'], []],
  ['/http://a/b', '/http://a/b', ['http:', '', 'a', 'b'], []],

  // The parser splits the path, then decodes each segment once. Segments `.` and `..` are ordinary names.
  ['/a%2Fb', '/a%2Fb', ['a/b'], []], ['/a%252Fb', '/a%252Fb', ['a%2Fb'], []],
  ['/%61', '/%61', ['a'], []], ['/a%3Fb', '/a%3Fb', ['a?b'], []], ['/a%00', '/a%00', ['a\0'], []],
  ['/a+b%20c', '/a+b%20c', ['a+b c'], []], ['/e%CC%81', '/e%CC%81', ['é'], []],
  ['/a/../b', '/a/../b', ['a', '..', 'b'], []], ['/%2e%2E/.', '/%2e%2E/.', ['..', '.'], []],
  ['/a\\b', '/a\\b', ['a\\b'], []],

  // Targets in absolute form (RFC 9112 §3.2.2).
  ['http://a.example', '/', [''], []], ['http://a.example/', '/', [''], []],
  ['http://a.example/b?c=1', '/b', ['b'], [['c', ['1']]]],
  ['http://a.example?c=1', '/', [''], [['c', ['1']]]],
  ['HTTPS://ann@a.example:443/b', '/b', ['b'], []], ['http://[::1]:8080/b', '/b', ['b'], []],
], ([target, path, segments, query]) => {
  const parsed = parseTarget(target);
  assert.deepEqual({ ...parsed, query: [...parsed?.query ?? []] }, { path, segments, query });
});

each('The target "{0}" is malformed', [
  '', 'a', 'a/b', '?a', '*', '**', '*/', '*?a=1', '#', '/a#b', '/a?b#c', '/a b', '/a\tb', '/a\x7f', '/é',
  '/\u00ff', '/a?é',
  '/%', '/%2', '/%zz', '/%E9', '/%C0%AE', '/%ED%A0%80', '/a?b=%', '/a?b=%E9',
  'http:', 'http:/a', 'http://', 'http:///a', 'http://?a', 'http://a#b', 'ftp://a/b', 'a.example:443',
  'javascript://a/b',
], (target) => assert.equal(parseTarget(target), undefined));

each('The query "{0}" has {1}', [
  ['', {}], ['&', {}], ['a=1', { a: ['1'] }], ['a=1&b=2', { a: ['1'], b: ['2'] }],
  ['a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }], ['&a=1&&b=2&', { a: ['1'], b: ['2'] }],
  ['a', { a: [''] }], ['a=', { a: [''] }], ['=1', { '': ['1'] }], ['a=b=c', { a: ['b=c'] }],
  ['A=1&a=2', { A: ['1'], a: ['2'] }],

  // The parser splits the query, then decodes percent-encoded characters once.
  ['a=b+c', { a: ['b c'] }], ['a+b=1', { 'a b': ['1'] }], ['a=%2B', { a: ['+'] }],
  ['a=%26b%3D1', { a: ['&b=1'] }], ['%61=1', { a: ['1'] }], ['a=%2526', { a: ['%26'] }],
  ['a=%25', { a: ['%'] }], ['a=%c3%a9', { a: ['é'] }], ['a=e%CC%81', { a: ['é'] }],
  ['a=e\u0301', { a: ['é'] }], ['a=%F0%9F%97%9D', { a: ['🗝'] }], ['a=%00%0D%0A', { a: ['\0\r\n'] }],
  ['a=;b', { a: [';b'] }],
  ['__proto__=1&constructor=2', { ['__proto__']: ['1'], constructor: ['2'] }],

  // If the query is malformed, `parseQuery` returns `undefined`.
  ...[
    'a=%', 'a=%2', 'a=%zz', 'a=%u0041', '%=1', 'a=1&b=%', 'a=%E9', 'a=%C0%AF', 'a=%ED%A0%80',
    'a=%F4%90%80%80', 'a=%E2%82',
  ].map((text) => [text, undefined] as const),
], ([text, expected]) => {
  const query = parseQuery(text);
  assert.deepEqual(query && [...query], expected && Object.entries(expected));
});

test('A query of six thousand parameters with one name is read in linear time', () => {
  const before = process.cpuUsage();
  for (let round = 0; round < 20; round += 1) {
    assert.equal(parseQuery('a&'.repeat(6_000))?.get('a')?.length, 6_000);
  }
  assert.ok(process.cpuUsage(before).user < 1e6);
});
