import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRouter } from '../../src/http/router.ts';

const find = createRouter([
  ['GET', '/'], ['GET', '/users'], ['POST', '/users'], ['GET', '/users/me'], ['GET', '/users/{user}'],
  ['DELETE', '/users/{user}'], ['GET', '/users/{owner}/projects/{project}'], ['GET', '/users/me/keys'],
  ['GET', '/users/me/{kind}/count'], ['GET', '/files/{file}'], ['GET', '/files/about'],
].map(([method = '', path = '']) => ({ method, path, rest: path === '/files/{file}' })), '');

for (const [segments, methods, pathParameters] of [
  [[''], 'GET', {}],
  [['users'], 'GET,POST', {}],
  ...['ann', 'a/b', '{user}', '__proto__', 'ME']
    .map((user) => [['users', user], 'GET,DELETE', { user }] as const),
  [['users', 'ann', 'projects', 'x'], 'GET', { owner: 'ann', project: 'x' }],

  // A literal segment takes precedence if a route below it matches.
  [['users', 'me'], 'GET', {}],
  [['users', 'me', 'keys'], 'GET', {}],
  [['users', 'me', 'projects', 'x'], 'GET', { owner: 'me', project: 'x' }],
  [['files', 'about'], 'GET', {}],

  // The rest parameter takes all remaining segments, including empty segments.
  ...['', 'a', 'a/b/', 'about/us', '/../a']
    .map((file) => [['files', ...file.split('/')], 'GET', { file }] as const),

  ...[
    [], ['', ''], ['user'], ['Users'], ['users', ''], ['users', 'ann', ''], ['users', 'ann', 'projects'],
    ['users', 'ann', 'projects', ''], ['users', 'ann', 'keys'], ['users', '', 'projects', 'x'], ['files'],
    ['__proto__'], ['constructor'],
  ].map((segments) => [segments, undefined, undefined] as const),
] as const) {
  test(`${JSON.stringify(segments)} has ${methods ?? 'no route'} ${JSON.stringify(pathParameters)}`, () => {
    const match = find(segments);
    assert.equal(match && [...match.routes.keys()].join(), methods);
    assert.deepEqual(match?.pathParameters, pathParameters);
  });
}

test('A path of a hundred thousand segments has no route, and does not overflow the stack', () => {
  assert.equal(find(['users', ...Array<string>(100_000).fill('me')]), undefined);
});
