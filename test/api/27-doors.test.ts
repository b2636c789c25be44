/**
 * Tests on which paths browsers get a page and other clients get JSON. 22-base-path.test.ts tests a path
 * prefix.
 */
import assert from 'node:assert/strict';
import { api } from '../support/service.ts';

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
const PROBLEM = 'application/problem+json; charset=utf-8';
const browser = { headers: { 'Accept': FIREFOX } };

/** The `Accept` fields of programs; `undefined` if the field is missing. */
const PROGRAMS = [
  undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*', 'text/html;q=0, */*',
  'text/html, */*', JAVA,
];

const MISSING_FILES = [
  '/static/nothing.html', '/static/css', '/static/css/', '/static/console/nothing', '/static//',
  '/static/../app.ts',
];

for (const accept of [FIREFOX, ...PROGRAMS]) {
  const options = { headers: accept === undefined ? {} : { 'Accept': accept } };
  const isBrowser = accept === FIREFOX;
  const more = isBrowser ? ', which leads to the landing page' : '';
  // spec 4.1-1, 4.1-2
  api(`Accept ${JSON.stringify(accept)} gets exactly the JSON greeting${more}`, async ({ expect }) => {
    for (const line of ['GET /', 'GET /index', 'HEAD /', 'HEAD /index', 'OPTIONS /', 'OPTIONS /index']) {
      const { headers, text } = await expect(200, line, options);
      assert.equal(text, line.startsWith('HEAD') ? '' : '{"message":"Rollcall is running"}');
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      if (!line.startsWith('OPTIONS')) {
        assert.equal(headers['vary'], 'Accept');
        assert.equal(headers['link'], '</static/>; rel="alternate"; type="text/html"');
        assert.equal(headers['refresh'], isBrowser ? '0; url=/static/' : undefined);
      }
    }
    const page = await expect(200, 'GET /static/', options);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  });
}

for (const folder of ['/static/console', '/static/reference']) {
  api(`GET and HEAD ${folder} redirect a browser to the same path with a slash`, async ({ expect }) => {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await expect(302, `${method} ${folder}?page=2`, browser);
      assert.deepEqual([headers['location'], headers['vary']], [`${folder}/`, 'Accept']);
      await expect(200, `GET ${headers['location']}`, browser);
    }
  });
}

for (const [title, paths, clients, detail, vary] of [
  ['a missing file is', [...MISSING_FILES, '/static/console'], PROGRAMS, 'No such file', 'Accept'],
  [
    'an unknown path is, also for browsers,',
    ['/nothing', '/api/v1/nothing', '/static', '/index.html', '//', '/api/v1/static/nothing'],
    [undefined, FIREFOX], 'No route matches this path', undefined,
  ],
] as const) {
  for (const accept of clients) {
    api(`${title} exactly a JSON problem with Accept ${JSON.stringify(accept)}`, async ({ expect }) => {
      for (const path of paths) {
        const answer = await expect(404, `GET ${path}`, {
          headers: accept === undefined ? {} : { 'Accept': accept },
        });
        assert.deepEqual([answer.headers['content-type'], answer.headers['vary']], [PROBLEM, vary], path);
        assert.equal(
          answer.text,
          '{"type":"/static/problems.html#not-found","title":"Not found","status":404,"detail":"'
            + `${detail}","request_id":"${answer.headers['x-request-id']}"}`, path,
        );
      }
    });
  }
}

api('a missing file is a 404 page for browsers, with the policy of all pages', async (service) => {
  const landing = await service.call('GET /static/', browser);
  for (const path of MISSING_FILES) {
    const { headers, text } = await service.expect(404, `GET ${path}`, browser);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.deepEqual([headers['vary'], headers['cache-control']], ['Accept', 'no-store'], path);
    assert.deepEqual([headers['etag'], headers['accept-ranges']], [undefined, undefined]);
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'referrer-policy']) {
      assert.equal(headers[name], landing.headers[name], path);
    }
    assert.match(text, /There is no page at this address/);
    const head = await service.expect(404, `HEAD ${path}`, browser);
    assert.equal(head.text, '', path);
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)), path);
  }
});

api('preconditions, ranges and targets do not change the 404 page', async ({ expect }) => {
  const plain = await expect(404, 'GET /static/nothing', browser);
  const conditions = { 'If-None-Match': '*', 'If-Match': '"x"', 'Range': 'bytes=0-1', ...browser.headers };
  for (const [target, headers] of [
    ['/static/nothing', conditions], ['/static/"onload="x', browser.headers],
    ['/static/<b>x</b>', browser.headers],
    ['/static/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cb%3E', browser.headers],
  ] as const) {
    assert.equal((await expect(404, `GET ${target}`, { headers })).text, plain.text, target);
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

for (const line of [
  'POST /nothing', 'DELETE /static/nothing', 'PUT /static/console', 'GET /api/v1/users/nobody',
]) {
  api(`${line} is answered in JSON, whatever the client prefers and whoever asks`, async (service) => {
    for (const as of [await service.register('ada'), undefined]) {
      const { headers } = await service.call(line, { as, ...browser });
      assert.equal(headers['content-type'], PROBLEM);
    }
  });
}
