/** Forged requests: pages of other origins make a browser send the credentials that it remembers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, startService, type TestService } from '../support/service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const OTHER = { 'Origin': 'https://evil.example' };
const CROSS = { ...OTHER, 'Sec-Fetch-Site': 'cross-site' };
const PLAIN = { 'Content-Type': 'text/plain;charset=UTF-8' };

const NO_CORS = { ...CROSS, 'Sec-Fetch-Mode': 'no-cors' };
const CORS = { ...CROSS, 'Sec-Fetch-Mode': 'cors' };

for (const line of ['POST /api/v1/token', 'POST /api/v1/tokens', 'POST /api/v1/projects']) {
  for (const [title, headers, text] of [
    ['a form', { ...CROSS, ...FORM, 'Sec-Fetch-Mode': 'navigate' }, 'name=a'],
    ['an empty form', { ...CROSS, ...FORM, 'Sec-Fetch-Mode': 'navigate' }, undefined],
    ['a form on another subdomain', { ...OTHER, 'Sec-Fetch-Site': 'same-site', ...FORM }, 'name=a'],
    ['a form in a browser that does not send Sec-Fetch-Site', { ...OTHER, ...FORM }, 'name=a'],
    ['an empty form in such a browser', { ...OTHER, ...FORM }, undefined],
    ['a form that the browser gives no origin', { 'Origin': 'null', ...FORM }, 'name=a'],
    ['a form in a browser that does not send Origin', { 'Sec-Fetch-Site': 'cross-site', ...FORM }, 'name=a'],
    ['a no-cors request', NO_CORS, undefined],
    ['a no-cors request without a content type', NO_CORS, '{"name": "a"}'],
    ['a no-cors request with text/plain', { ...NO_CORS, ...PLAIN }, '{"name": "a"}'],
    ['a script with a body without a content type', CORS, '{"name": "a"}'],
    ['a script with text/plain', { ...CORS, ...PLAIN }, '{"name": "a"}'],
  ] as const) {
    test(`${line} from ${title} is 403 with remembered Basic credentials, and changes nothing`, async (t) => {
      const service = await startService(t);
      const as = await service.register('ada');
      const token = await service.issueToken(as);
      const { json } = await service.expect(403, line, {
        as, headers: { ...headers }, ...(text !== undefined && { body: text }),
      });
      assert.match(json['detail'], /application\/json/);
      assert.equal((await service.call('GET /api/v1/tokens', { as: token })).json['tokens'].length, 1);
      assert.equal((await service.call('GET /api/v1/projects', { as: token })).headers['count'], '0');
    });
  }
}

/** The header fields of scripts that send Basic credentials themselves. */
const SCRIPTS = [
  ['a script of another site', CORS],
  ['a script of another port', {
    'Origin': 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors',
  }],
  ['a script of another origin on plain HTTP', OTHER],
  ['a script of a sandboxed page', { ...CORS, 'Origin': 'null' }],
] as const;

for (const [title, headers] of SCRIPTS) {
  for (const [form, secretOf] of [
    ['username and password', async (_: TestService, password: string) => password],
    ['a token as username', async (service: TestService, password: string) => {
      const token = (await service.issueToken(password)).replace('Bearer ', '');
      return `Basic ${btoa(`${token}:`)}`;
    }],
  ] as const) {
    // spec 1-7
    api(`${title} issues tokens, deletes projects and revokes with ${form}`, async (service) => {
      const as = await secretOf(service, await service.register('ada'));
      const call = (line: string, json?: object) =>
        service.call(line, { as, headers: { ...headers }, ...(json && { json }) });
      assert.equal((await call('POST /api/v1/projects', { name: 'a', description: '' })).status, 201);
      assert.equal((await call('POST /api/v1/token')).status, 201);
      assert.equal((await call('DELETE /api/v1/projects/a')).status, 200);
      assert.equal((await call('DELETE /api/v1/projects/a')).status, 404);
      assert.equal((await call('DELETE /api/v1/token')).status, 200);
    });
  }
}

for (const [title, headers] of [
  ['a program', FORM],
  ['a page of the same origin', { 'Origin': 'https://own.example', 'Sec-Fetch-Site': 'same-origin' }],
  ['a form of the same origin', { ...FORM, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }],
  ['an address typed into the browser', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }],
  ['a page of the same origin in a browser that does not send Sec-Fetch-Site',
    { 'Origin': 'http://Own.example:8080'.toLowerCase(), 'Host': 'Own.example:8080' }],
  ['a script of another origin that declares JSON', { ...CORS, ...JSON_TYPE }],
] as const) {
  api(`POST /api/v1/token from ${title} is 201 with Basic credentials`, async (service) => {
    const as = await service.register('ada');
    await service.expect(201, 'POST /api/v1/token', { as, headers: { ...headers } });
  });
}

api('a bearer token works from every origin, as browsers never attach one', async (service) => {
  const as = await service.registerWithToken('ada');
  const headers = { ...CORS, ...PLAIN };
  await service.expect(201, 'POST /api/v1/token', { as, headers });
});

api('reading with Basic credentials works from every origin', async (service) => {
  const as = await service.register('ada');
  await service.expect(200, 'GET /api/v1/user', { as, headers: CROSS });
});

test('only scripts of the origin in CORS_ORIGIN may use Basic credentials', async (t) => {
  const service = await startService(t, { corsOrigin: 'https://console.example' });
  const as = await service.register('ada');
  const own = { 'Origin': 'https://console.example', 'Sec-Fetch-Site': 'same-site' };
  await service.expect(201, 'POST /api/v1/token', { as, headers: own });
  await service.expect(403, 'POST /api/v1/token', { as, headers: CROSS });
});

test('a page below BASE_PATH behind a proxy that changes Host counts as same-origin', async (t) => {
  const service = await startService(t, { basePath: '/rollcall' });
  const json = { username: 'ada', password: 'pw', email: 'ada@example.org' };
  await service.call('POST /rollcall/api/v1/users', { json });
  const headers = { 'Origin': 'https://a.example', 'Host': 'internal:8080', 'Sec-Fetch-Site': 'same-origin' };
  const as = `Basic ${btoa('ada:pw')}`;
  await service.expect(201, 'POST /rollcall/api/v1/token', { as, headers });
});

test('a request that may be forged is refused before its password is checked', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const as = await service.register('ada');
  await service.call('POST /api/v1/token', { as: `Basic ${btoa('ada:wrong')}`, headers: NO_CORS });
  await service.expect(201, 'POST /api/v1/token', { as });
});
