/** Tests the section "GET /static/{filename}" of the specification. See also http/static-files.test.ts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { api } from '../support/service.ts';

const PAGE = readFileSync(new URL('../../static/index.html', import.meta.url), 'utf8');

// spec 1-6, 4.11-1, 4.11-2
api('GET /static/… returns the file with its type, also of a subfolder, without authentication', async ({
  expect,
}) => {
  for (const path of ['index.html', '']) {
    const { headers, text } = await expect(200, `GET /static/${path}`);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(text, PAGE);
  }
  const { headers } = await expect(200, 'GET /static/css/site.css');
  assert.equal(headers['content-type'], 'text/css; charset=utf-8');
});

api.each('a guide is a whole page with an entity tag, below "{0}"', [
  '', '/rollcall',
], async (service, basePath) => {
  const line = `GET ${basePath}/static/guides/lists.html`;
  const { headers, text } = await service.expect(200, line);
  assert.match(text, /^<!DOCTYPE html>\n<html[^]*<h1>Lists and paging<\/h1>[^]*<h2 [^]*<\/html>\n$/);
  assert.match(String(headers['content-security-policy']), /default-src 'none'/);
  await service.expect(304, line, { headers: { 'If-None-Match': String(headers['etag']) } });
  assert.match((await service.call(`GET ${basePath}/static/guides/`)).text, /<h1>Guides<\/h1>/);
}, (basePath) => ({ basePath }));

api.each('GET /static/index.html with {1}: {2} is {0}; HEAD has no content', [
  [200, 'Accept-Encoding', 'gzip'], [206, 'Range', 'bytes=0-14'], [304, 'If-None-Match', '*'],
  [412, 'If-Match', '"other"'], ['416 range-not-satisfiable', 'Range', 'bytes=99999999-'],
], async (service, [status, name, value]) => {
  const headers = { [name]: value };
  await service.expect(status, 'GET /static/index.html', { headers });
  const head = await service.call('HEAD /static/index.html', { headers });
  assert.deepEqual([head.text, head.status], ['', name === 'Range' ? 200 : status]);
});
