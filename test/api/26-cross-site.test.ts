/** Forged requests: pages of other origins make a browser send the credentials that it remembers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const OTHER = { 'Origin': 'https://evil.example' };
const CROSS = { ...OTHER, 'Sec-Fetch-Site': 'cross-site' };
const REQUESTED = { 'X-Requested-With': 'fetch' };

for (const line of [
  'POST /api/v1/token', 'POST /api/v1/tokens', 'POST /api/v1/projects',
  'DELETE /api/v1/token', 'DELETE /api/v1/tokens', 'DELETE /api/v1/users/ada',
]) {
  for (const [title, headers] of [
    ['a form', { ...CROSS, ...FORM }],
    ['a form on another subdomain', { ...OTHER, 'Sec-Fetch-Site': 'same-site', ...FORM }],
    ['a script without fields', CROSS],
    ['a page without an origin', { 'Origin': 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['a browser that does not send Sec-Fetch-Site', OTHER],
    ['a browser that does not send Origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a script with text/plain', { ...CROSS, 'Content-Type': 'text/plain;charset=UTF-8' }],
  ] as const) {
    test(`${line} from ${title} is 403 with remembered Basic credentials, and changes nothing`, async (t) => {
      const service = await startService(t);
      const as = await service.register('ada');
      const token = await service.issueToken(as);
      const { status, json } = await service.call(line, { as, headers });
      assert.equal(status, 403);
      assert.match(json['detail'], /X-Requested-With/);
      const { tokens } = (await service.call('GET /api/v1/tokens', { as: token })).json;
      assert.equal(tokens.length, 1);
    });
  }
}

for (const [title, headers] of [
  ['a program', FORM],
  ['a page of the same origin', { 'Origin': 'https://own.example', 'Sec-Fetch-Site': 'same-origin' }],
  ['an address typed into the browser', { 'Sec-Fetch-Site': 'none' }],
  ['a page of the same origin in a browser that does not send Sec-Fetch-Site',
    { 'Origin': 'http://Own.example:8080'.toLowerCase(), 'Host': 'Own.example:8080' }],
  ['a script of another origin with X-Requested-With', { ...CROSS, ...REQUESTED }],
  ['a script of another origin that declares JSON', { ...CROSS, ...JSON_TYPE }],
] as const) {
  test(`POST /api/v1/token from ${title} is 201 with Basic credentials`, async (t) => {
    const service = await startService(t);
    const as = await service.register('ada');
    assert.equal((await service.call('POST /api/v1/token', { as, headers })).status, 201);
  });
}

test('a bearer token works from every origin, as browsers never attach one', async (t) => {
  const service = await startService(t);
  const as = await service.registerWithToken('ada');
  assert.equal((await service.call('POST /api/v1/token', { as, headers: CROSS })).status, 201);
});

test('reading with Basic credentials works from every origin', async (t) => {
  const service = await startService(t);
  const as = await service.register('ada');
  assert.equal((await service.call('GET /api/v1/user', { as, headers: CROSS })).status, 200);
});

test('only scripts of the origin in CORS_ORIGIN may use Basic credentials', async (t) => {
  const service = await startService(t, { corsOrigin: 'https://console.example' });
  const as = await service.register('ada');
  const own = { 'Origin': 'https://console.example', 'Sec-Fetch-Site': 'same-site' };
  assert.equal((await service.call('POST /api/v1/token', { as, headers: own })).status, 201);
  assert.equal((await service.call('POST /api/v1/token', { as, headers: CROSS })).status, 403);
});

test('a page below BASE_PATH behind a proxy that changes Host counts as same-origin', async (t) => {
  const service = await startService(t, { basePath: '/rollcall' });
  const json = { username: 'ada', password: 'pw', email: 'ada@example.org' };
  await service.call('POST /rollcall/api/v1/users', { json });
  const headers = { 'Origin': 'https://a.example', 'Host': 'internal:8080', 'Sec-Fetch-Site': 'same-origin' };
  const as = `Basic ${btoa('ada:pw')}`;
  const { status } = await service.call('POST /rollcall/api/v1/token', { as, headers });
  assert.equal(status, 201);
});

test('a request that may be forged is refused before its password is checked', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const as = await service.register('ada');
  await service.call('POST /api/v1/token', { as: `Basic ${btoa('ada:wrong')}`, headers: CROSS });
  assert.equal((await service.call('POST /api/v1/token', { as })).status, 201);
});
