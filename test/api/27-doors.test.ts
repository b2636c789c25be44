/** Browsers are led from `/` to pages, and get a page for a missing file; all other clients get JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
const browser = { headers: { 'Accept': FIREFOX } };

/** `Accept` fields of programs; `undefined` for none. */
const PROGRAMS = [
  undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*', 'text/html;q=0, */*',
  'text/html, */*', JAVA,
];

const UNKNOWN_PATHS = [
  '/nothing', '/api/v1/nothing', '/static', '/index.html', '//', '/api/v1/static/nothing',
];
const MISSING_FILES = [
  '/static/nothing.html', '/static/css', '/static/css/', '/static/console/nothing', '/static//',
  '/static/../app.ts',
];

for (const method of ['GET', 'HEAD']) {
  for (const path of ['/', '/index']) {
    // spec 4.1-1, 4.1-2
    test(`${method} ${path} greets a browser in JSON, and leads it to the landing page`, async (t) => {
      const { call } = await startService(t);
      const { status, headers, text } = await call(`${method} ${path}`, browser);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(text, method === 'GET' ? '{"message":"Rollcall is running"}' : '');
      assert.equal(headers['refresh'], '0; url=/static/');
      assert.equal(headers['vary'], 'Accept');
      const page = await call('GET /static/', browser);
      assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    });
  }

  for (const folder of ['/static/console', '/static/reference']) {
    test(`${method} ${folder} redirects a browser to the same path with a slash`, async (t) => {
      const { call } = await startService(t);
      const { status, headers } = await call(`${method} ${folder}?page=2`, browser);
      assert.deepEqual([status, headers['location'], headers['vary']], [302, `${folder}/`, 'Accept']);
      assert.equal((await call(`GET ${headers['location']}`, browser)).status, 200);
    });
  }
}

for (const accept of PROGRAMS) {
  test(`Accept ${JSON.stringify(accept)} gets exactly the JSON greeting`, async (t) => {
    const { call } = await startService(t);
    for (const path of ['/', '/index']) {
      const { status, headers, text } = await call(
        `GET ${path}`, { headers: accept === undefined ? {} : { 'Accept': accept } },
      );
      assert.deepEqual([status, text], [200, '{"message":"Rollcall is running"}']);
      assert.deepEqual(
        [headers['content-type'], headers['vary']], ['application/json; charset=utf-8', 'Accept'],
      );
      assert.equal(headers['link'], '</static/>; rel="alternate"; type="text/html"');
      assert.equal(headers['refresh'], undefined);
    }
  });

  test(`Accept ${JSON.stringify(accept)} gets exactly the JSON problem for a missing file`, async (t) => {
    const { call } = await startService(t);
    for (const path of [...MISSING_FILES, '/static/console']) {
      const { status, headers, text } = await call(
        `GET ${path}`, { headers: accept === undefined ? {} : { 'Accept': accept } },
      );
      assert.deepEqual([status, headers['vary'], text], [
        404, 'Accept', notFound('No such file', headers['x-request-id']),
      ], path);
    }
  });
}

for (const path of UNKNOWN_PATHS) {
  test(`${path} is exactly the JSON problem for programs and browsers`, async (t) => {
    const { call } = await startService(t);
    for (const options of [{}, browser]) {
      const { status, headers, text } = await call(`GET ${path}`, options);
      assert.deepEqual([status, headers['content-type'], headers['vary'], text], [
        404, 'application/problem+json; charset=utf-8', undefined,
        notFound('No route matches this path', headers['x-request-id']),
      ]);
    }
  });
}

function notFound(detail: string, requestId: unknown): string {
  return '{"type":"/static/problems.html#not-found","title":"Not found","status":404,"detail":"'
    + `${detail}","request_id":"${requestId}"}`;
}

test('a browser gets a page with status 404 for a missing file', async (t) => {
  const { call } = await startService(t);
  for (const path of MISSING_FILES) {
    const { status, headers, text } = await call(`GET ${path}`, browser);
    assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], path);
    assert.deepEqual([headers['vary'], headers['cache-control']], ['Accept', 'no-store'], path);
    assert.match(text, /There is no page at this address/);
    const head = await call(`HEAD ${path}`, browser);
    assert.deepEqual([head.status, head.text], [404, ''], path);
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)), path);
  }
});

test('the 404 page has the content security policy of all pages, and no ETag', async (t) => {
  const { call } = await startService(t);
  const { headers } = await call('GET /static/nothing', browser);
  const landing = await call('GET /static/', browser);
  for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'referrer-policy']) {
    assert.equal(headers[name], landing.headers[name]);
  }
  assert.deepEqual([headers['etag'], headers['accept-ranges']], [undefined, undefined]);
});

test('preconditions and ranges do not change the 404 page', async (t) => {
  const { call } = await startService(t);
  const conditions = { 'If-None-Match': '*', 'If-Match': '"x"', 'Range': 'bytes=0-1' };
  const plain = await call('GET /static/nothing', browser);
  const { status, text } = await call(
    'GET /static/nothing', { headers: { ...conditions, 'Accept': FIREFOX } },
  );
  assert.deepEqual([status, text], [404, plain.text]);
});

test('the 404 page repeats no part of the request', async (t) => {
  const { call } = await startService(t);
  const { text } = await call('GET /static/nothing', browser);
  for (const target of [
    '/static/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cb%3E', '/static/"onload="x', '/static/<b>x</b>',
  ]) {
    assert.equal((await call(`GET ${target}`, browser)).text, text, target);
  }
});

test('no path causes a redirect to another host', async (t) => {
  const { call } = await startService(t);
  for (const target of [
    '//evil.example/static/console', '/static//evil.example', '/%2Fevil.example', '/static/%2Fevil.example',
    '/static/..%2F..%2Fevil.example', '/%5Cevil.example', '//static/console', '/static/console%2F',
  ]) {
    assert.deepEqual((await call(`GET ${target}`, browser)).headers['location'], undefined, target);
  }
});

for (const line of ['POST /nothing', 'DELETE /static/nothing', 'PUT /static/console']) {
  test(`${line} is answered in JSON, whatever the client prefers`, async (t) => {
    const { call } = await startService(t);
    const { headers } = await call(line, browser);
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  });
}

test('missing records and missing credentials are answered in JSON, also for browsers', async (t) => {
  const { call, register } = await startService(t);
  const as = await register('ada');
  for (const options of [{ as, ...browser }, browser]) {
    const { headers } = await call('GET /api/v1/users/nobody', options);
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  }
});

test('OPTIONS / is the JSON greeting, also for browsers', async (t) => {
  const { call } = await startService(t);
  assert.equal((await call('OPTIONS /', browser)).text, '{"message":"Rollcall is running"}');
});

for (const path of ['/a/b', '/a/b/', '/a/b/index']) {
  test(`with the BASE_PATH /a/b, ${path} leads to the landing page below it`, async (t) => {
    const { call } = await startService(t, { basePath: '/a/b' });
    const { headers } = await call(`GET ${path}`, browser);
    assert.equal(headers['refresh'], '0; url=/a/b/static/');
    assert.equal(headers['link'], '</a/b/static/>; rel="alternate"; type="text/html"');
  });
}

test('with BASE_PATH redirects have the prefix, and links of 404 pages work at any depth', async (t) => {
  const { call } = await startService(t, { basePath: '/a/b' });
  const { status, headers } = await call('GET /a/b/static/console', browser);
  assert.deepEqual([status, headers['location']], [302, '/a/b/static/console/']);
  for (const path of ['/a/b/static/nothing', '/a/b/static/deep/er/nothing']) {
    const { status, text } = await call(`GET ${path}`, browser);
    assert.equal(status, 404, path);
    const links = [...text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 6);
    for (const link of new Set(links)) {
      assert.equal((await call(`GET ${link}`)).status, 200, link);
    }
  }
});
