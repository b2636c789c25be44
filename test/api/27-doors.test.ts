/**
 * Tests that browsers are redirected from `/` to pages, and get a page for a missing file. All other clients
 * get JSON.
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
    api(`${method} ${path} greets a browser in JSON, leads it to the landing page`, async ({ expect }) => {
      const { headers, text } = await expect(200, `${method} ${path}`, browser);
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(text, method === 'GET' ? '{"message":"Rollcall is running"}' : '');
      assert.equal(headers['refresh'], '0; url=/static/');
      assert.equal(headers['vary'], 'Accept');
      const page = await expect(200, 'GET /static/', browser);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    });
  }

  for (const folder of ['/static/console', '/static/reference']) {
    api(`${method} ${folder} redirects a browser to the same path with a slash`, async ({ expect }) => {
      const { headers } = await expect(302, `${method} ${folder}?page=2`, browser);
      assert.deepEqual([headers['location'], headers['vary']], [`${folder}/`, 'Accept']);
      await expect(200, `GET ${headers['location']}`, browser);
    });
  }
}

for (const accept of PROGRAMS) {
  const program = { headers: accept === undefined ? {} : { 'Accept': accept } };
  api(`Accept ${JSON.stringify(accept)} gets exactly the JSON greeting`, async ({ expect }) => {
    for (const path of ['/', '/index']) {
      const { headers, text } = await expect(200, `GET ${path}`, program);
      assert.equal(text, '{"message":"Rollcall is running"}');
      assert.deepEqual(
        [headers['content-type'], headers['vary']], ['application/json; charset=utf-8', 'Accept'],
      );
      assert.equal(headers['link'], '</static/>; rel="alternate"; type="text/html"');
      assert.equal(headers['refresh'], undefined);
    }
  });

  api(`Accept ${JSON.stringify(accept)} gets the JSON problem for a missing file`, async ({ expect }) => {
    for (const path of [...MISSING_FILES, '/static/console']) {
      const { headers, text } = await expect(404, `GET ${path}`, program);
      assert.equal(headers['vary'], 'Accept', path);
      assert.equal(text, notFound('No such file', headers['x-request-id']), path);
    }
  });
}

for (const path of UNKNOWN_PATHS) {
  api(`${path} is exactly the JSON problem for programs and browsers`, async ({ expect }) => {
    for (const options of [{}, browser]) {
      const { headers, text } = await expect(404, `GET ${path}`, options);
      assert.deepEqual([headers['content-type'], headers['vary'], text], [
        PROBLEM, undefined, notFound('No route matches this path', headers['x-request-id']),
      ]);
    }
  });
}

function notFound(detail: string, requestId: unknown): string {
  return '{"type":"/static/problems.html#not-found","title":"Not found","status":404,"detail":"'
    + `${detail}","request_id":"${requestId}"}`;
}

api('a browser gets a page with status 404 for a missing file', async ({ expect }) => {
  for (const path of MISSING_FILES) {
    const { headers, text } = await expect(404, `GET ${path}`, browser);
    assert.deepEqual([headers['content-type'], headers['vary'], headers['cache-control']], [
      'text/html; charset=utf-8', 'Accept', 'no-store',
    ], path);
    assert.match(text, /There is no page at this address/);
    const head = await expect(404, `HEAD ${path}`, browser);
    assert.equal(head.text, '', path);
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)), path);
  }
});

api('the 404 page has the content security policy of all pages, and no ETag', async ({ call }) => {
  const { headers } = await call('GET /static/nothing', browser);
  const landing = await call('GET /static/', browser);
  for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'referrer-policy']) {
    assert.equal(headers[name], landing.headers[name]);
  }
  assert.deepEqual([headers['etag'], headers['accept-ranges']], [undefined, undefined]);
});

api('preconditions, ranges and targets do not change the 404 page', async ({ expect }) => {
  const plain = await expect(404, 'GET /static/nothing', browser);
  const conditions = { 'If-None-Match': '*', 'If-Match': '"x"', 'Range': 'bytes=0-1', ...browser.headers };
  const conditional = await expect(404, 'GET /static/nothing', { headers: conditions });
  assert.equal(conditional.text, plain.text);
  for (const target of [
    '/static/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cb%3E', '/static/"onload="x', '/static/<b>x</b>',
  ]) {
    assert.equal((await expect(404, `GET ${target}`, browser)).text, plain.text, target);
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

api('OPTIONS / is the JSON greeting, also for browsers', async ({ call }) => {
  assert.equal((await call('OPTIONS /', browser)).text, '{"message":"Rollcall is running"}');
});

for (const path of ['/a/b', '/a/b/', '/a/b/index']) {
  const title = `with the BASE_PATH /a/b, ${path} leads to the landing page below it`;
  api(title, { basePath: '/a/b' }, async ({ call }) => {
    const { headers } = await call(`GET ${path}`, browser);
    assert.equal(headers['refresh'], '0; url=/a/b/static/');
    assert.equal(headers['link'], '</a/b/static/>; rel="alternate"; type="text/html"');
  });
}

api('with BASE_PATH redirects have the prefix, and links of 404 pages work at any depth', {
  basePath: '/a/b',
}, async ({ expect }) => {
  const { headers } = await expect(302, 'GET /a/b/static/console', browser);
  assert.equal(headers['location'], '/a/b/static/console/');
  for (const path of ['/a/b/static/nothing', '/a/b/static/deep/er/nothing']) {
    const { text } = await expect(404, `GET ${path}`, browser);
    const links = [...text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 6);
    for (const link of new Set(links)) {
      await expect(200, `GET ${link}`);
    }
  }
});
