import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTarget } from '../../src/http/target.ts';

for (const [target, path, segments, query] of [
  // Origin-form.
  ['/', '/', [''], []],
  ['/a', '/a', ['a'], []],
  ['/a/', '/a/', ['a', ''], []],
  ['//a', '//a', ['', 'a'], []],
  ['//a.example/b', '//a.example/b', ['', 'a.example', 'b'], []],
  ['/a?', '/a', ['a'], []],
  ['/a?b=1', '/a', ['a'], [['b', ['1']]]],
  ['/a?b=/c?d', '/a', ['a'], [['b', ['/c?d']]]],
  ['/?', '/', [''], []],
  ['/a:b@c;d=e,f', '/a:b@c;d=e,f', ['a:b@c;d=e,f'], []],
  ['/http://a/b', '/http://a/b', ['http:', '', 'a', 'b'], []],

  // Segments are split first, then decoded once; dot segments are ordinary names.
  ['/a%2Fb', '/a%2Fb', ['a/b'], []],
  ['/a%252Fb', '/a%252Fb', ['a%2Fb'], []],
  ['/%61', '/%61', ['a'], []],
  ['/a%3Fb', '/a%3Fb', ['a?b'], []],
  ['/a+b', '/a+b', ['a+b'], []],
  ['/a%00', '/a%00', ['a\0'], []],
  ['/e%CC%81', '/e%CC%81', ['é'], []],
  ['/a/../b', '/a/../b', ['a', '..', 'b'], []],
  ['/%2e%2E/.', '/%2e%2E/.', ['..', '.'], []],
  ['/a\\b', '/a\\b', ['a\\b'], []],

  // Absolute-form.
  ['http://a.example', '/', [''], []],
  ['http://a.example/', '/', [''], []],
  ['http://a.example/b?c=1', '/b', ['b'], [['c', ['1']]]],
  ['http://a.example?c=1', '/', [''], [['c', ['1']]]],
  ['HTTPS://ann@a.example:443/b', '/b', ['b'], []],
  ['http://[::1]:8080/b', '/b', ['b'], []],
] as const) {
  test(`The target "${target}" has the path ${path} of ${JSON.stringify(segments)}`, () => {
    const parsed = parseTarget(target);
    assert(parsed.kind === 'resource');
    assert.deepEqual({ ...parsed, query: [...parsed.query] }, { kind: 'resource', path, segments, query });
  });
}

test('The target "*" means the server as a whole', () => {
  assert.deepEqual(parseTarget('*'), { kind: 'server' });
});

for (const target of [
  '', 'a', 'a/b', '?a', '**', '*/', '*?a=1', '#', '/a#b', '/a?b#c', '/a b', '/a\tb', '/a\x7f', '/é',
  '/\u00ff', '/a?é',
  '/%', '/%2', '/%zz', '/%E9', '/%C0%AE', '/%ED%A0%80', '/a?b=%', '/a?b=%E9',
  'http:', 'http:/a', 'http://', 'http:///a', 'http://?a', 'http://a#b', 'ftp://a/b', 'a.example:443',
  'javascript://a/b',
]) {
  test(`The target ${JSON.stringify(target)} is malformed`, () => {
    assert.deepEqual(parseTarget(target), { kind: 'malformed' });
  });
}
