/** Tests the section "GET /static/{filename}" of the specification. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api } from '../support/service.ts';

const INDEX = 'GET /static/index.html';
const PAGE = readFileSync(new URL('../../static/index.html', import.meta.url));

// spec 1-6, 4.11-1
api('GET /static/index.html returns the file with its type, without authentication', async (service) => {
  const { headers, text } = await service.expect(200, INDEX);
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

for (const basePath of ['', '/rollcall']) {
  api(`a guide is a whole page with an entity tag, below "${basePath}"`, { basePath }, async (service) => {
    const line = `GET ${basePath}/static/guides/lists.html`;
    const { headers, text } = await service.expect(200, line);
    assert.match(text, /^<!DOCTYPE html>\n<html[^]*<h1>Lists and paging<\/h1>[^]*<h2 [^]*<\/html>\n$/);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    await service.expect(304, line, { headers: { 'If-None-Match': String(headers['etag']) } });
    assert.match((await service.call(`GET ${basePath}/static/guides/`)).text, /<h1>Guides<\/h1>/);
  });
}

api('a page has a content security policy without inline scripts', async ({ call }) => {
  const policy = String((await call(INDEX)).headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
});

api('HEAD /static/index.html has the fields of GET and no body', async ({ call, expect }) => {
  const { headers, text } = await expect(200, 'HEAD /static/index.html');
  assert.deepEqual([text, headers['content-length']], ['', String(PAGE.length)]);
  assert.equal(headers['etag'], (await call(INDEX)).headers['etag']);
});

api('If-None-Match with the ETag of a file is 304, If-Match with another 412', async ({ call, expect }) => {
  const etag = String((await call(INDEX)).headers['etag']);
  const { headers, text } = await expect(304, INDEX, { headers: { 'If-None-Match': etag } });
  assert.deepEqual([text, headers['etag']], ['', etag]);
  await expect(412, INDEX, { headers: { 'If-Match': '"other"' } });
});

api('Range returns that part of the file, or 416 with the file size if it lies outside', async (service) => {
  const part = await service.expect(206, INDEX, { headers: { 'Range': 'bytes=0-14' } });
  assert.equal(part.text, PAGE.subarray(0, 15).toString());
  assert.equal(part.headers['content-range'], `bytes 0-14/${PAGE.length}`);
  const outside = await service.expect(416, INDEX, { headers: { 'Range': `bytes=${PAGE.length}-` } });
  assert.equal(outside.headers['content-range'], `bytes */${PAGE.length}`);
  assert.equal(outside.json['type'], '/static/problems.html#range-not-satisfiable');
});

api('a client that accepts gzip gets a smaller file with its own ETag', async ({ call }) => {
  const coded = await call(INDEX, { headers: { 'Accept-Encoding': 'gzip' } });
  assert.equal(coded.headers['content-encoding'], 'gzip');
  assert.ok(Number(coded.headers['content-length']) < PAGE.length);
  assert.notEqual(coded.headers['etag'], (await call(INDEX)).headers['etag']);
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
  api(`GET ${target} finds no file`, async ({ port }) => {
    const answer = await exchangeRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.ok([400, 404].includes(statusOf(answer)), answer);
    assert.match(answer, /application\/problem\+json/);
  });
}
