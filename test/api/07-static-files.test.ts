/** Specification, "GET /static/{filename}". */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api, startService } from '../support/service.ts';

const PAGE = readFileSync(new URL('../../static/index.html', import.meta.url));

// spec 1-6, 4.11-1
api('GET /static/index.html returns the file with its type, without authentication', async (service) => {
  const { headers, text } = await service.expect(200, 'GET /static/index.html');
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(text, PAGE.toString());
});

// spec 4.11-2
api('GET /static/css/site.css returns a file of a subfolder', async (service) => {
  const { headers } = await service.expect(200, 'GET /static/css/site.css');
  assert.equal(headers['content-type'], 'text/css; charset=utf-8');
});

api('GET /static/ returns the index page', async (service) => {
  assert.equal((await service.call('GET /static/')).text, PAGE.toString());
});

test('a guide is a whole page with an entity tag, also below a prefix', async (t) => {
  for (const basePath of ['', '/rollcall']) {
    const service = await startService(t, { basePath });
    const path = `${basePath}/static/guides/lists.html`;
    const { headers, text } = await service.call(`GET ${path}`);
    assert.match(text, /^<!DOCTYPE html>\n<html[^]*<h1>Lists and paging<\/h1>[^]*<h2 [^]*<\/html>\n$/);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    const tag = String(headers['etag']);
    await service.expect(304, `GET ${path}`, { headers: { 'If-None-Match': tag } });
    assert.match((await service.call(`GET ${basePath}/static/guides/`)).text, /<h1>Guides<\/h1>/);
  }
});

api('a page has a content security policy without inline scripts', async (service) => {
  const policy = String((await service.call('GET /static/index.html')).headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
});

api('HEAD /static/index.html has the fields of GET and no body', async (service) => {
  const [head, get] = [
    await service.call('HEAD /static/index.html'), await service.call('GET /static/index.html'),
  ];
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  assert.equal(head.headers['content-length'], String(PAGE.length));
  assert.equal(head.headers['etag'], get.headers['etag']);
});

api('If-None-Match with the ETag of a file is 304 without a body', async (service) => {
  const etag = String((await service.call('GET /static/index.html')).headers['etag']);
  const { status, headers, text } = await service.call(
    'GET /static/index.html', { headers: { 'If-None-Match': etag } },
  );
  assert.equal(status, 304);
  assert.equal(text, '');
  assert.equal(headers['etag'], etag);
});

test('Range returns that part of the file, or 416 with the file size if the part lies outside', async (t) => {
  const service = await startService(t);
  const part = await service.expect(206, 'GET /static/index.html', { headers: { 'Range': 'bytes=0-14' } });
  assert.equal(part.text, PAGE.subarray(0, 15).toString());
  assert.equal(part.headers['content-range'], `bytes 0-14/${PAGE.length}`);
  const outside = await service.call(
    'GET /static/index.html', { headers: { 'Range': `bytes=${PAGE.length}-` } },
  );
  assert.equal(outside.status, 416);
  assert.equal(outside.headers['content-range'], `bytes */${PAGE.length}`);
  assert.equal(outside.json['type'], '/static/problems.html#range-not-satisfiable');
});

api('If-Match with another ETag is 412', async (service) => {
  await service.expect(412, 'GET /static/index.html', { headers: { 'If-Match': '"other"' } });
});

api('a client that accepts gzip gets a smaller file with its own ETag', async (service) => {
  const coded = await service.call('GET /static/index.html', { headers: { 'Accept-Encoding': 'gzip' } });
  const plain = await service.call('GET /static/index.html');
  assert.equal(coded.headers['content-encoding'], 'gzip');
  assert.ok(Number(coded.headers['content-length']) < PAGE.length);
  assert.notEqual(coded.headers['etag'], plain.headers['etag']);
});

for (const target of [
  '/static/../package.json', '/static/%2e%2e/package.json', '/static/%2e%2e%2fpackage.json',
  '/static/..%2fpackage.json',
  '/static/..%5cpackage.json', '/static/..\\package.json', '/static/%252e%252e/package.json',
  '/static/....//package.json',
  '/static/css/../../package.json', '/static//etc/passwd', '/static//package.json', '/static/%2fetc%2fpasswd',
  '/static/./index.html', '/static/index.html/', '/static/index.html%00.css', '/static/INDEX.HTML',
  '/static/css',
  '/static/.env', '/static/css/.hidden', '/static/nothing.html', '/static', '/%73tatic/../package.json',
  '/static/%c0%ae%c0%ae/package.json', '/static/%', '/static/%u002e%u002e/package.json',
  '//static/index.html',
]) {
  // spec 4.11-1
  test(`GET ${target} finds no file`, async (t) => {
    const { port } = await startService(t);
    const answer = await exchangeRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.ok([400, 404].includes(statusOf(answer)), answer);
    assert.match(answer, /application\/problem\+json/);
  });
}
