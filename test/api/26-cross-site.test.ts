import assert from 'node:assert/strict';
import { api, basic, people } from '../support/service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const OTHER = { 'Origin': 'https://evil.example' };
const CROSS = { ...OTHER, 'Sec-Fetch-Site': 'cross-site' };
const PLAIN = { 'Content-Type': 'text/plain;charset=UTF-8' };
const NO_CORS = { ...CROSS, 'Sec-Fetch-Mode': 'no-cors' };
const CORS = { ...CROSS, 'Sec-Fetch-Mode': 'cors' };

for (const line of ['POST /api/v1/token', 'POST /api/v1/tokens', 'POST /api/v1/projects']) {
  people.each(`${line} from {0} is 403 with remembered Basic credentials, and changes nothing`, [
    ['a form', { ...CROSS, ...FORM, 'Sec-Fetch-Mode': 'navigate' }, 'name=a'],
    ['an empty form', { ...CROSS, ...FORM, 'Sec-Fetch-Mode': 'navigate' }],
    ['a form on another subdomain', { ...OTHER, 'Sec-Fetch-Site': 'same-site', ...FORM }, 'name=a'],
    ['a form in a browser that does not send Sec-Fetch-Site', { ...OTHER, ...FORM }, 'name=a'],
    ['an empty form in such a browser', { ...OTHER, ...FORM }],
    ['a form that the browser gives no origin', { 'Origin': 'null', ...FORM }, 'name=a'],
    ['a form in a browser that does not send Origin', { 'Sec-Fetch-Site': 'cross-site', ...FORM }, 'name=a'],
    ['a no-cors request', NO_CORS],
    ['a no-cors request without a content type', NO_CORS, '{"name": "a"}'],
    ['a no-cors request with text/plain', { ...NO_CORS, ...PLAIN }, '{"name": "a"}'],
    ['a script with a body without a content type', CORS, '{"name": "a"}'],
    ['a script with text/plain', { ...CORS, ...PLAIN }, '{"name": "a"}'],
  ], async ({ ada: as, expect, namesIn }, [, headers, body]) => {
    const { json } = await expect(403, line, { as, headers, body });
    assert.match(json['detail'], /application\/json/);
    assert.equal((await expect(200, 'GET /api/v1/tokens', { as })).headers['count'], '0');
    assert.deepEqual(await namesIn('projects', as), []);
  });
}

// spec 1-7
people.each('{0} issues tokens, deletes projects and revokes with a password or a token as username', [
  ['a script of another site', CORS],
  ['a script of another port', {
    'Origin': 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors',
  }],
  ['a script of another origin on plain HTTP', OTHER],
  ['a script of a sandboxed page', { ...CORS, 'Origin': 'null' }],
], async ({ ada, expect, issueToken }, [, headers]) => {
  for (const as of [basic((await issueToken(ada)).replace('Bearer ', ''), ''), ada]) {
    for (const [status, line, json] of [
      [201, 'POST /api/v1/projects', { name: 'a', description: '' }], [201, 'POST /api/v1/token'],
      [200, 'DELETE /api/v1/projects/a'], [404, 'DELETE /api/v1/projects/a'], [200, 'DELETE /api/v1/token'],
    ] as const) {
      await expect(status, line, { as, headers, json });
    }
  }
});

people.each('POST /api/v1/token from {0} is 201 with Basic credentials', [
  ['a program', FORM],
  ['a page of the same origin', { 'Origin': 'https://own.example', 'Sec-Fetch-Site': 'same-origin' }],
  ['a form of the same origin', { ...FORM, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }],
  ['an address typed into the browser', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }],
  ['a page of the same origin in a browser that does not send Sec-Fetch-Site',
    { 'Origin': 'http://own.example:8080', 'Host': 'Own.example:8080' }],
  ['a script of another origin that declares JSON', { ...CORS, 'Content-Type': 'application/json' }],
], async ({ ada: as, expect }, [, headers]) => {
  await expect(201, 'POST /api/v1/token', { as, headers });
});

people('reading, and changes with a bearer token, work from every origin', async ({ ada: as, ...world }) => {
  await world.expect(200, 'GET /api/v1/user', { as, headers: CROSS });
  const token = await world.issueToken(as); // browsers never attach a bearer token
  await world.expect(201, 'POST /api/v1/token', { as: token, headers: { ...CORS, ...PLAIN } });
});

people('only scripts of CORS_ORIGIN may read, or use Basic credentials', async ({ ada: as, expect }) => {
  const own = { 'Origin': 'https://console.example', 'Sec-Fetch-Site': 'same-site' };
  for (const [headers, expected] of [[own, 201], [CROSS, 403]] as const) {
    const answer = await expect(expected, 'POST /api/v1/token', { as, headers });
    assert.equal(answer.headers['access-control-allow-origin'], own.Origin);
  }
}, { corsOrigin: 'https://console.example' });

api('a page below BASE_PATH behind a proxy that changes Host counts as same-origin', async ({ expect }) => {
  const json = { username: 'ada', password: 'pw', email: 'ada@example.org' };
  await expect(201, 'POST /rollcall/api/v1/users', { json });
  const headers = { 'Origin': 'https://a.example', 'Host': 'internal:8080', 'Sec-Fetch-Site': 'same-origin' };
  await expect(201, 'POST /rollcall/api/v1/token', { as: basic('ada', 'pw'), headers });
}, { basePath: '/rollcall' });

people('a request that may be forged is refused before its password is checked', async ({ ada, expect }) => {
  await expect(403, 'POST /api/v1/token', { as: basic('ada', 'wrong'), headers: NO_CORS });
  await expect(201, 'POST /api/v1/token', { as: ada });
}, { failuresPerNameMax: 1 });
