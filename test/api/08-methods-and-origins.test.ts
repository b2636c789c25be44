/** Tests methods (RFC 9110 §9, §15.5.6), and requests from other origins, which the specification permits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../support/operations.ts';
import { api, people } from '../support/service.ts';

for (const [path, allow] of [
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
] as const) {
  for (const method of ['LOCK', 'TRACE', 'PROPFIND']) {
    api(`${method} ${path} is 405 with Allow: ${allow}`, async (service) => {
      const { headers, json } = await service.expect(405, `${method} ${path}`);
      assert.equal(headers['allow'], allow);
      assert.equal(json['type'], '/static/problems.html#method-not-allowed');
    });
  }

  // spec 1-7
  api(`a preflight for ${path} permits methods, the usual fields and those asked for`, async (service) => {
    const status = path === '/' || path === '/index' ? 200 : 204;
    for (const asked of ['', 'x-anything, not a name']) {
      const { headers } = await service.expect(status, `OPTIONS ${path}`, {
        headers: {
          'Origin': 'null', 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': asked,
        },
      });
      assert.deepEqual(headers['allow']?.split(', ').sort(), allow.split(', ').sort());
      assert.equal(headers['access-control-allow-methods'], headers['allow']);
      assert.equal(headers['access-control-allow-origin'], '*');
      const fields = String(headers['access-control-allow-headers']).split(', ');
      for (const field of ['Authorization', 'Content-Type', 'X-Requested-With']) {
        assert.ok(fields.includes(field), field);
      }
      assert.deepEqual([fields.includes('x-anything'), fields.includes('not a name')], [asked !== '', false]);
    }
  });
}

for (const path of [
  '/nowhere', '/api/v1', '/api/v1/users/', '/api/v1/users/ada/projects', '/api/v2/users', '/api//v1/users',
  '/api/v1projects/engine', '/INDEX',
]) {
  // spec 4.9-4, 9-1, 9-4
  api(`${path} is 404 for every method`, async (service) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
      await service.expect(404, `${method} ${path}`);
    }
  });
}

// spec 9-1, 9-2
test('every route is below /api/v1, except liveness, probes, metrics and static files', () => {
  const paths = Object.values(operations)
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('/api/v1/'));
  assert.deepEqual([...new Set(paths)], [
    '/', '/index', '/static/{filename}', '/livez', '/readyz', '/metrics',
  ]);
});

api('OPTIONS * is 204', async (service) => {
  await service.expect(204, 'OPTIONS *');
  await service.expect(400, 'GET *');
});

for (const path of [
  '/', '/index', '/api/v1/users', '/api/v1/users/ada', '/api/v1/projects', '/api/v1/projects/engine',
]) {
  people(`HEAD ${path} has the status and length of GET and no body`, async (world) => {
    const { ada: as, expect } = world;
    await world.createProject(as, 'engine');
    const head = await expect(200, `HEAD ${path}`, { as });
    const get = await expect(200, `GET ${path}`, { as });
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal(head.text, '');
  });
}

for (const line of [
  'GET /', 'GET /nowhere', 'PUT /', 'GET /api/v1/users', 'GET /static/index.html', 'GET /static/none',
  'GET /%', 'GET /api/v1/users?page=0',
]) {
  // spec 1-7
  api(`${line} allows every origin without browser credentials, forbids sniffing`, async ({ call }) => {
    const { headers } = await call(line, { headers: { 'Origin': 'https://other.example' } });
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    for (const field of [
      'Count', 'page', 'items_per_page', 'Total', 'Total-Relation', 'Link', 'Location', 'X-Request-Id',
    ]) {
      assert.ok(exposed.includes(field), field);
    }
  });
}

api('CORS_ORIGIN restricts the origin', { corsOrigin: 'https://console.example' }, async ({ call }) => {
  const { headers } = await call('GET /');
  assert.equal(headers['access-control-allow-origin'], 'https://console.example');
});

api('responses of the API forbid caching', async (service) => {
  for (const line of ['GET /', 'GET /api/v1/users', 'POST /api/v1/token']) {
    assert.equal((await service.call(line)).headers['cache-control'], 'no-store');
  }
});
