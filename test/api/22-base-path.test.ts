import assert from 'node:assert/strict';
import { GUIDE_KEYS } from '../../src/extras/documents/files.ts';
import { insertProjects } from '../support/filled-file.ts';
import { operations } from '../support/operations.ts';
import { api, basic } from '../support/service.ts';

const PREFIX = { basePath: '/a/b' };
const json = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };
const headers = { 'Accept': 'text/html' };

// spec 1-3
api('the greeting is at the prefix, and all routes are below it; the rest is 404', async ({ expect }) => {
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
}, PREFIX);

api('links have the prefix: Location, Link, Refresh, and the type of a problem', async (service) => {
  const { call, expect } = service;
  const as = basic('ada', 'ada-password');
  for (const path of ['/a/b', '/a/b/', '/a/b/index']) {
    const greeting = await call(`GET ${path}`, { headers });
    assert.equal(greeting.headers['refresh'], '0; url=/a/b/static/');
    assert.equal(greeting.headers['link'], '</a/b/static/>; rel="alternate"; type="text/html"');
  }
  const folder = await expect(302, 'GET /a/b/static/console', { headers });
  assert.equal(folder.headers['location'], '/a/b/static/console/');
  const created = await expect(201, 'POST /a/b/api/v1/users', { json });
  assert.equal(created.headers['location'], '/a/b/api/v1/users/1');
  await expect(200, `GET ${created.headers['location']}`, { as });
  const list = await call('GET /a/b/api/v1/users?items_per_page=1', { as });
  assert.match(String(list.headers['link']), /^<\/a\/b\/api\/v1\/users\?page=1&items_per_page=1>/);
  const description = 'x'.repeat(2_000);
  await service.database.write([insertProjects({ username: 'ada', projects: 130, description })]);
  const user = await call('GET /a/b/api/v1/user', { as });
  assert.equal(user.headers['link'], '</a/b/api/v1/projects?owner=ada>; rel="related"');
  for (const path of ['/a/b/api/v1/users', '/elsewhere']) {
    const { type } = (await call(`GET ${path}`)).json;
    const page = await expect(200, `GET ${String(type).split('#')[0]}`);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8', String(type));
  }
}, PREFIX);

// scripts/audit/pages.ts checks that the pages load nothing from other origins.
api.each('below the prefix, every link of the page {0} to the service has a target', [
  ['index.html', 200], ['console/', 200], ['reference/', 200], ['problems.html', 200], ['guides/', 200],
  ...GUIDE_KEYS.map((page) => [page, 200] as const), ['nothing', 404], ['deep/er/nothing', 404],
], async ({ expect }, [page, status]) => {
  const path = `/a/b/static/${page}`;
  const { text } = await expect(status, `GET ${path}`, { headers });
  const links = [...text.matchAll(/(?:href|src)="([^"]+)/g)].map(([, link = '']) => link);
  const own = links.filter((link) => !/^https?:/.test(link));
  assert.ok(own.length > 6);
  for (const link of new Set(own)) {
    const { pathname, hash } = new URL(link, `http://x${path}`);
    const target = pathname === path ? text : (await expect(200, `GET ${pathname}`)).text;
    const isOperation = pathname === '/a/b/static/reference/' && hash.slice(1) in operations;
    assert.ok(hash === '' || isOperation || target.includes(`id="${hash.slice(1)}"`), link);
  }
}, PREFIX);
