import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preflightHeaders } from '../../src/http/cross-origin.ts';

test('A preflight response lists the methods of the resource, and Authorization by name', () => {
  const headers = preflightHeaders(['GET', 'HEAD', 'OPTIONS'], {});
  assert.equal(headers['Allow'], 'GET, HEAD, OPTIONS');
  assert.equal(headers['Access-Control-Allow-Methods'], 'GET, HEAD, OPTIONS');
  assert.match(headers['Access-Control-Allow-Headers'] ?? '', /(^|, )Authorization(,|$)/);
  assert.doesNotMatch(headers['Access-Control-Allow-Headers'] ?? '', /\*/);
  assert.equal('Access-Control-Allow-Credentials' in headers, false);
});

const USUAL = preflightHeaders([], {})['Access-Control-Allow-Headers'] ?? '';

for (const [title, asked, added] of [
  ['an unknown field', 'x-anything', ['x-anything']],
  ['several fields, with and without spaces', 'cache-control,\tpragma , x-trace', [
    'cache-control', 'pragma', 'x-trace',
  ]],
  ['all characters of a token', "a!#$%&'*+-.^_`|~9", ["a!#$%&'*+-.^_`|~9"]],
  ['empty names', ',, x-a,', ['x-a']],
  ['no name', '', []],
  ['a field twice, in two cases', 'x-a, X-A', ['X-A']],
  ['names that are not tokens', 'x a, x:a, (x), "x", é, x\u0000, x-a', ['x-a']],
  ['a list of the greatest length', 'x'.repeat(4_096), ['x'.repeat(4_096)]],
  ['a list that is too long', 'x'.repeat(4_097), []],
] as const) {
  test(`A preflight for ${title} permits the valid names and the usual fields`, () => {
    const headers = preflightHeaders([], { 'access-control-request-headers': asked });
    assert.equal(headers['Access-Control-Allow-Headers'], [USUAL, ...added].join(', '));
  });
}
