/** At the tested paths, browsers get a page, and other clients get JSON. */
import assert from 'node:assert/strict';
import { api } from '../support/service.ts';

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PROBLEM = 'application/problem+json; charset=utf-8';
const browser = toOptions(FIREFOX);

const BROWSERS: readonly (string | undefined)[] = [
  FIREFOX, 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', // Chromium
  'text/html', 'Text/HTML',
];

function toOptions(accept: string | undefined) {
  return { headers: accept === undefined ? {} : { 'Accept': accept } };
}

/** The value `undefined` stands for a request without `Accept`. */
const PROGRAMS = [
  undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*', 'text/html;q=0, */*',
  'text/html, */*', 'text/html, application/json', 'application/json, text/html', 'text/html2', 'x-text/html',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', // Java
];

const MISSING_FILES = [
  '/static/nothing.html', '/static/css', '/static/css/', '/static/console/nothing', '/static//',
  '/static/../app.ts', '/%73tatic/../package.json',
];

// spec 1-2, 1-5, 1-8, 4.1-1, 4.1-2
api.each('Accept "{0}" gets exactly the JSON greeting, and leads to the landing page only in a browser', [
  ...BROWSERS, ...PROGRAMS,
], async ({ expect }, accept) => {
  const options = { as: 'Basic !', ...toOptions(accept) }; // the service ignores these wrong credentials
  for (const line of ['GET /', 'GET /index', 'HEAD /', 'HEAD /index', 'OPTIONS /', 'OPTIONS /index']) {
    const { headers, text } = await expect(200, line, options);
    assert.equal(text, line.startsWith('HEAD') ? '' : '{"message":"Rollcall is running"}');
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    if (!line.startsWith('OPTIONS')) {
      assert.equal(headers['vary'], 'Accept');
      assert.equal(headers['link'], '</static/>; rel="alternate"; type="text/html"');
      assert.equal(headers['refresh'], BROWSERS.includes(accept) ? '0; url=/static/' : undefined);
    }
  }
  const page = await expect(200, 'GET /static/', options);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
});

api.each('GET and HEAD {0} redirect a browser to the same path with a slash', [
  '/static/console', '/static/reference',
], async ({ expect }, folder) => {
  for (const method of ['GET', 'HEAD']) {
    const { headers } = await expect(302, `${method} ${folder}?page=2`, browser);
    assert.deepEqual([headers['location'], headers['vary']], [`${folder}/`, 'Accept']);
    await expect(200, `GET ${headers['location']}`, browser);
  }
});

// spec 7-7
api.each('{0} exactly a JSON problem', [
  ['a missing file is', [...MISSING_FILES, '/static/console'], PROGRAMS, 'No such file', 'Accept'],
  [
    'an unknown path is, also for browsers,',
    ['/nothing', '/api/v1/nothing', '/static', '/index.html', '//', '//static/', '/api/v1/static/nothing'],
    [undefined, FIREFOX], 'No route matches this path', undefined,
  ],
], async ({ expect }, [, paths, clients, detail, vary]) => {
  for (const [path, accept] of paths.flatMap((path) => clients.map((accept) => [path, accept] as const))) {
    const { headers, text } = await expect(404, `GET ${path}`, toOptions(accept));
    assert.deepEqual([headers['content-type'], headers['vary']], [PROBLEM, vary], path);
    assert.equal(
      text, '{"type":"/static/problems.html#not-found","title":"Not found","status":404,"detail":"'
        + `${detail}","request_id":"${headers['x-request-id']}"}`, path,
    );
  }
});

api('a missing file is a 404 page for browsers, whatever they ask for', async ({ call, expect }) => {
  const landing = await call('GET /static/', browser);
  const plain = await expect(404, 'GET /static/nothing', browser);
  assert.match(plain.text, /There is no page at this address/);
  for (const path of [
    ...MISSING_FILES, '/static/"onload="x', '/static/<b>x</b>',
    '/static/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cb%3E',
  ]) {
    const { headers, text } = await expect(404, `GET ${path}`, {
      headers: { ...browser.headers, 'If-None-Match': '*', 'If-Match': '"x"', 'Range': 'bytes=0-1' },
    });
    assert.equal(text, plain.text, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.deepEqual([headers['vary'], headers['cache-control']], ['Accept', 'no-store'], path);
    assert.deepEqual([headers['etag'], headers['accept-ranges']], [undefined, undefined]);
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'referrer-policy']) {
      assert.equal(headers[name], landing.headers[name], path);
    }
    const head = await expect(404, `HEAD ${path}`, browser);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)), path);
  }
});

api('no path causes a redirect to another host', async ({ call }) => {
  for (const target of [
    '//evil.example/static/console', '/static//evil.example', '/%2Fevil.example', '/static/%2Fevil.example',
    '/static/..%2F..%2Fevil.example', '/%5Cevil.example', '//static/console', '/static/console%2F',
  ]) {
    assert.equal((await call(`GET ${target}`, browser)).headers['location'], undefined, target);
  }
});

api.each('{0} is answered in JSON, whatever the client prefers and whoever asks', [
  'POST /nothing', 'DELETE /static/nothing', 'PUT /static/console', 'GET /api/v1/users/nobody',
], async ({ call, register }, line) => {
  for (const as of [await register('ada'), undefined]) {
    assert.equal((await call(line, { as, ...browser })).headers['content-type'], PROBLEM);
  }
});
