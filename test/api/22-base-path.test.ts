/** `BASE_PATH`: all routes are below a prefix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

const json = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };

// spec 1-3
test('every route is below the prefix, the prefix is the greeting, and other paths are 404', async (t) => {
  const { call } = await startService(t, { basePath: '/a/b' });
  for (const path of [
    '/a/b', '/a/b/', '/a/b/index', '/a/b/livez', '/a/b/static/index.html', '/%61/b/livez',
  ]) {
    assert.equal((await call(`GET ${path}`)).status, 200, path);
  }
  for (const path of [
    '/', '/index', '/livez', '/a', '/a/', '/b/', '/a/bc/livez', '/a/b/a/b/livez', '/A/b/livez', '//a/b/livez',
    '/a%2Fb/livez',
  ]) {
    assert.equal((await call(`GET ${path}`)).status, 404, path);
  }
});

test('links have the prefix: Location, Link, and the type of a problem', async (t) => {
  const { call } = await startService(t, { basePath: '/a/b' });
  const as = `Basic ${btoa('ada:ada-password')}`;
  const created = await call('POST /a/b/api/v1/users', { json });
  assert.deepEqual([created.status, created.headers['location']], [201, '/a/b/api/v1/users/1']);
  assert.equal((await call(`GET ${created.headers['location']}`, { as })).status, 200);
  const list = await call('GET /a/b/api/v1/users?items_per_page=1', { as });
  assert.match(String(list.headers['link']), /^<\/a\/b\/api\/v1\/users\?page=1&items_per_page=1>/);
  for (const path of ['/a/b/api/v1/users', '/elsewhere']) {
    const { type } = (await call(`GET ${path}`)).json;
    const page = await call(`GET ${String(type).split('#')[0]}`);
    assert.deepEqual(
      [page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], String(type),
    );
    assert.ok(page.text.includes(`&quot;type&quot;: &quot;${type}&quot;`), 'its example has the prefix too');
  }
});

test('pages use relative links', async (t) => {
  const { call } = await startService(t, { basePath: '/a/b' });
  for (const page of ['index.html', 'problems.html']) {
    const { text } = await call(`GET /a/b/static/${page}`);
    const places = [...text.matchAll(/(?:href|src)="([^"#]*)"/g)].map(([, place = '']) => place);
    assert.ok(places.length > 0);
    for (const place of places.filter((text) => text !== '' && !text.startsWith('https://'))) {
      assert.equal(
        (await call(`GET ${new URL(place, `http://x/a/b/static/${page}`).pathname}`)).status, 200, place,
      );
    }
  }
});
