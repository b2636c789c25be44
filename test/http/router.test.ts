import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRouter } from '../../src/http/router.ts';

const find = createRouter([
  ['GET', '/'], ['GET', '/users'], ['POST', '/users'], ['GET', '/users/me'], ['GET', '/users/{user}'],
  ['DELETE', '/users/{user}'], ['GET', '/users/{owner}/projects/{project}'], ['GET', '/users/me/keys'],
  ['GET', '/users/me/{kind}/count'], ['GET', '/files/{file}'], ['GET', '/files/about'],
].map(([method = '', path = '']) => ({ method, path, rest: path === '/files/{file}' })), '');

for (const [segments, methods, pathParameters] of [
  [[''], ['GET'], {}],
  [['users'], ['GET', 'POST'], {}],
  [['users', 'ann'], ['GET', 'DELETE'], { user: 'ann' }],
  [['users', 'a/b'], ['GET', 'DELETE'], { user: 'a/b' }],
  [['users', '{user}'], ['GET', 'DELETE'], { user: '{user}' }],
  [['users', '__proto__'], ['GET', 'DELETE'], { user: '__proto__' }],
  [['users', 'ann', 'projects', 'x'], ['GET'], { owner: 'ann', project: 'x' }],

  // A literal segment takes precedence if a route below it matches.
  [['users', 'me'], ['GET'], {}],
  [['users', 'me', 'keys'], ['GET'], {}],
  [['users', 'me', 'projects', 'x'], ['GET'], { owner: 'me', project: 'x' }],
  [['users', 'ME'], ['GET', 'DELETE'], { user: 'ME' }],
  [['files', 'about'], ['GET'], {}],

  // The rest parameter takes all remaining segments, including empty segments.
  [['files', ''], ['GET'], { file: '' }],
  [['files', 'a'], ['GET'], { file: 'a' }],
  [['files', 'a', 'b', ''], ['GET'], { file: 'a/b/' }],
  [['files', 'about', 'us'], ['GET'], { file: 'about/us' }],
  [['files', '', '..', 'a'], ['GET'], { file: '/../a' }],
] as const) {
  test(`${JSON.stringify(segments)} has ${methods.join()} with ${JSON.stringify(pathParameters)}`, () => {
    const match = find(segments);
    assert.deepEqual([...(match?.routes.keys() ?? [])], methods);
    assert.deepEqual(match?.pathParameters, pathParameters);
  });
}

for (const segments of [
  [], ['', ''], ['user'], ['Users'], ['users', ''], ['users', 'ann', ''], ['users', 'ann', 'projects'],
  ['users', 'ann', 'projects', ''], ['users', 'ann', 'keys'], ['users', '', 'projects', 'x'], ['files'],
  ['__proto__'], ['constructor'],
]) {
  test(`${JSON.stringify(segments)} has no route`, () => assert.equal(find(segments), undefined));
}

test('A path of a hundred thousand segments has no route, and does not overflow the stack', () => {
  assert.equal(find(['users', ...Array<string>(100_000).fill('me')]), undefined);
});

test('Two routes with the same method and path are refused', () => {
  const route = { method: 'GET', path: '/a/{b}', rest: false };
  assert.throws(
    () => createRouter([route, route], ''), { message: 'Two routes of /a/{b} have the same method' },
  );
});
