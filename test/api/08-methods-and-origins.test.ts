/** RFC 9110 defines methods in §9, and the status 405 in §15.5.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../support/operations.ts';
import { api, people } from '../support/service.ts';

const ALLOWED = [
  ['/', 'GET, OPTIONS, HEAD'],
  ['/index', 'GET, OPTIONS, HEAD'],
  ['/api/v1/token', 'POST, DELETE, OPTIONS'],
  ['/api/v1/users', 'GET, POST, HEAD, OPTIONS'],
  ['/api/v1/tokens', 'GET, POST, DELETE, HEAD, OPTIONS'],
  ['/api/v1/tokens/1', 'GET, DELETE, HEAD, OPTIONS'],
  ['/api/v1/user', 'GET, HEAD, OPTIONS'],
  ['/api/v1/users/ada', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
  ['/api/v1/users/ada/password', 'PUT, OPTIONS'],
  ['/api/v1/projects', 'GET, POST, HEAD, OPTIONS'],
  ['/api/v1/projects/engine', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
  ['/static/index.html', 'GET, HEAD, OPTIONS'],
] as const;

// spec 1-7
api.each('{0} permits {1}: a preflight says so, and other methods are 405', ALLOWED, async (
  { expect }, [path, allow],
) => {
  for (const method of ['LOCK', 'TRACE', 'PROPFIND']) {
    const { headers } = await expect('405 method-not-allowed', `${method} ${path}`);
    assert.equal(headers['allow'], allow);
  }
  const { headers } = await expect(/^\/(index)?$/.test(path) ? 200 : 204, `OPTIONS ${path}`, {
    as: 'Basic !', headers: { 'Origin': 'null', 'Access-Control-Request-Method': 'GET' },
  });
  assert.deepEqual(headers['allow']?.split(', ').sort(), allow.split(', ').sort());
  assert.equal(headers['access-control-allow-methods'], headers['allow']);
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-credentials'], undefined);
});

api('a preflight permits usual fields, and valid names in a list of 4096 characters', async ({ call }) => {
  const permit = async (asked: string) => {
    const headers = { 'Access-Control-Request-Headers': asked };
    return (await call('OPTIONS /index', { headers })).headers['access-control-allow-headers'];
  };
  const usual = await permit('');
  assert.match(String(usual), /^[\w-]+(, [\w-]+)*$/);
  for (const field of ['Authorization', 'Content-Type', 'X-Requested-With']) {
    assert.ok(usual?.split(', ').includes(field), field);
  }
  for (const [asked, ...added] of [
    ['x-anything', 'x-anything'], ["a!#$%&'*+-.^_`|~9", "a!#$%&'*+-.^_`|~9"], [',, x-a,', 'x-a'],
    ['cache-control,\tpragma , x-trace', 'cache-control', 'pragma', 'x-trace'],
    ['x-a, X-A', 'X-A'], ['x a, x:a, (x), "x", é, x-a', 'x-a'],
    ['x'.repeat(4_096), 'x'.repeat(4_096)], ['x'.repeat(4_097)],
  ] as const) {
    assert.equal(await permit(asked), [usual, ...added].join(', '), asked);
  }
});

// spec 4.9-4, 9-1, 9-4
api.each('{0} is 404 for every method', [
  '/nowhere', '/api/v1', '/api/v1/users/', '/api/v1/users/ada/projects', '/api/v2/users', '/api//v1/users',
  '/metrics', // unless METRICS=on is set
  '/api/v1projects/engine', '/api/v1/tokens/1/renewal', '/INDEX', '/__proto__', '/constructor',
  '/api/v1/users//password', '/api/v1/users/ada/password/', '/a'.repeat(6_000),
], async (service, path) => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
    await service.expect(404, `${method} ${path}`);
  }
});

// spec 9-1, 9-2
test('every route is below /api/v1, except liveness, probes, metrics and static files', () => {
  const paths = new Set(Object.values(operations).map(({ path }) => path));
  assert.deepEqual([...paths].filter((path) => !path.startsWith('/api/v1/')), [
    '/', '/index', '/static/{filename}', '/livez', '/readyz', '/metrics',
  ]);
});

test('no path has two routes: a parameter never stands where another route has a word', () => {
  const paths = Object.values(operations).map(({ path }) => path.split('/'));
  const isParameter = (segment = '') => segment.startsWith('{');
  for (const path of paths) {
    const alike = paths.filter((other) => other.length === path.length && other.every((segment, index) =>
      segment === path[index] || isParameter(segment) || isParameter(path[index])));
    assert.equal(new Set(alike.map(String)).size, 1, path.join('/'));
  }
});

api('OPTIONS * is 204', async (service) => {
  await service.expect(204, 'OPTIONS *');
  await service.expect(400, 'GET *');
});

people.each('HEAD {0} has the status and length of GET and no body', [
  '/', '/index', '/api/v1/users', '/api/v1/users/ada', '/api/v1/projects', '/api/v1/projects/engine',
], async ({ ada, expect, ...world }, path) => {
  await world.createProject(ada, 'engine');
  const as = await world.issueScoped(ada, 'read_only');
  const head = await expect(200, `HEAD ${path}`, { as });
  const get = await expect(200, `GET ${path}`, { as });
  assert.equal(head.headers['content-length'], get.headers['content-length']);
  assert.equal(head.text, '');
});

// spec 1-7
api.each('{0} allows every origin without browser credentials, forbids sniffing', [
  'GET /', 'GET /nowhere', 'PUT /', 'GET /api/v1/users', 'GET /static/index.html', 'GET /static/none',
  'POST /api/v1/token', 'GET /%', 'GET /api/v1/users?page=0',
], async ({ call }, line) => {
  const { headers } = await call(line, { headers: { 'Origin': 'https://other.example' } });
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-credentials'], undefined);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['cache-control'], line.includes('index.html') ? 'no-cache' : 'no-store');
  for (const field of [
    'Count', 'page', 'items_per_page', 'Total', 'Total-Relation', 'Link', 'Location', 'X-Request-Id',
  ]) {
    assert.ok(String(headers['access-control-expose-headers']).split(', ').includes(field), field);
  }
});
