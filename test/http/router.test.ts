import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRouter, type RoutePattern } from '../../src/http/router.ts';

const find = createRouter([
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/users' },
  { method: 'POST', path: '/users' },
  { method: 'GET', path: '/users/me' },
  { method: 'GET', path: '/users/{user}' },
  { method: 'DELETE', path: '/users/{user}' },
  { method: 'GET', path: '/users/{owner}/projects/{project}' },
  { method: 'GET', path: '/users/me/keys' },
  { method: 'GET', path: '/users/me/{kind}/count' },
  { method: 'GET', path: '/files/{file}', rest: true },
  { method: 'GET', path: '/files/about' },
]);

for (const [segments, methods, pathParameters] of [
  [[''], ['GET'], {}],
  [['users'], ['GET', 'POST'], {}],
  [['users', 'ann'], ['GET', 'DELETE'], { user: 'ann' }],
  [['users', 'a/b'], ['GET', 'DELETE'], { user: 'a/b' }],
  [['users', '{user}'], ['GET', 'DELETE'], { user: '{user}' }],
  [['users', '__proto__'], ['GET', 'DELETE'], { user: '__proto__' }],
  [['users', 'ann', 'projects', 'x'], ['GET'], { owner: 'ann', project: 'x' }],

  // A literal segment takes precedence, unless no route below it matches.
  [['users', 'me'], ['GET'], {}],
  [['users', 'me', 'keys'], ['GET'], {}],
  [['users', 'me', 'projects', 'x'], ['GET'], { owner: 'me', project: 'x' }],
  [['users', 'ME'], ['GET', 'DELETE'], { user: 'ME' }],
  [['files', 'about'], ['GET'], {}],

  // The rest parameter takes all segments, including empty ones.
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
  [],
  ['', ''],
  ['user'],
  ['Users'],
  ['users', ''],
  ['users', 'ann', ''],
  ['users', 'ann', 'projects'],
  ['users', 'ann', 'projects', ''],
  ['users', 'ann', 'keys'],
  ['users', '', 'projects', 'x'],
  ['files'],
  ['__proto__'],
  ['constructor'],
]) {
  test(`${JSON.stringify(segments)} has no route`, () => {
    assert.equal(find(segments), undefined);
  });
}

test('A match returns the same route objects that were given to the router', () => {
  const route = { method: 'GET', path: '/a', summary: 'one of many members' };
  assert.equal(createRouter([route])(['a'])?.routes.get('GET'), route);
});

test('A path of a hundred thousand segments has no route, and does not overflow the stack', () => {
  assert.equal(find(['users', ...Array<string>(100_000).fill('me')]), undefined);
});

for (const [title, routes] of [
  ['the same method and path', [['GET', '/a'], ['GET', '/a']]],
  ['the same path except for the name of its parameter', [['GET', '/a/{b}'], ['POST', '/a/{c}']]],
  ['the same method and path except for the name of its parameter', [['GET', '/a/{b}'], ['GET', '/a/{c}']]],
] as const) {
  test(`Two routes with ${title} are refused`, () => {
    const patterns: readonly RoutePattern[] = routes.map(([method, path]) => ({ method, path }));
    assert.throws(() => createRouter(patterns), { message: /^Route (GET|POST) \/a.* is defined twice/ });
  });
}

test('Two routes with one path are refused if only one has a rest parameter', () => {
  const patterns = [{ method: 'GET', path: '/a/{b}', rest: true }, { method: 'DELETE', path: '/a/{b}' }];
  assert.throws(() => createRouter(patterns), { message: /is defined twice, or with other parameters/ });
});
