/** Tests `BASE_PATH`, which puts all routes below a prefix. */
import assert from 'node:assert/strict';
import { api, basic } from '../support/service.ts';

const PREFIX = { basePath: '/a/b' };
const json = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };

// spec 1-3
api('every route is below the prefix, which is the greeting; others are 404', PREFIX, async ({ expect }) => {
  for (const path of [
    '/a/b', '/a/b/', '/a/b/index', '/a/b/livez', '/a/b/static/index.html', '/%61/b/livez',
  ]) {
    await expect(200, `GET ${path}`);
  }
  for (const path of [
    '/', '/index', '/livez', '/a', '/a/', '/b/', '/a/bc/livez', '/a/b/a/b/livez', '/A/b/livez', '//a/b/livez',
    '/a%2Fb/livez',
  ]) {
    await expect(404, `GET ${path}`);
  }
});

api('links have the prefix: Location, Link, and the type of a problem', PREFIX, async ({ call, expect }) => {
  const as = basic('ada', 'ada-password');
  const created = await expect(201, 'POST /a/b/api/v1/users', { json });
  assert.equal(created.headers['location'], '/a/b/api/v1/users/1');
  await expect(200, `GET ${created.headers['location']}`, { as });
  const list = await call('GET /a/b/api/v1/users?items_per_page=1', { as });
  assert.match(String(list.headers['link']), /^<\/a\/b\/api\/v1\/users\?page=1&items_per_page=1>/);
  for (let index = 0; index < 130; index += 1) {
    const description = 'x'.repeat(2_000);
    await expect(201, 'POST /a/b/api/v1/projects', { as, json: { name: `p${index}`, description } });
  }
  const { headers } = await call('GET /a/b/api/v1/user', { as });
  assert.equal(headers['link'], '</a/b/api/v1/projects?owner=ada>; rel="related"');
  for (const path of ['/a/b/api/v1/users', '/elsewhere']) {
    const { type } = (await call(`GET ${path}`)).json;
    const page = await expect(200, `GET ${String(type).split('#')[0]}`);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8', String(type));
  }
});

api('pages use relative links', PREFIX, async ({ call, expect }) => {
  for (const page of ['index.html', 'problems.html']) {
    const { text } = await call(`GET /a/b/static/${page}`);
    const places = [...text.matchAll(/(?:href|src)="([^"#]*)"/g)].map(([, place = '']) => place);
    assert.ok(places.length > 0);
    for (const place of places.filter((text) => text !== '' && !text.startsWith('https://'))) {
      await expect(200, `GET ${new URL(place, `http://x/a/b/static/${page}`).pathname}`);
    }
  }
});
