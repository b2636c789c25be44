/**
 * Tests bodies, media types and request ids. Bad input must never cause a 5xx. 25-connections.test.ts tests
 * requests that violate HTTP.
 */
import assert from 'node:assert/strict';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api, BEHIND_PROXY, people } from '../support/service.ts';

const REGISTER = 'POST /api/v1/users';
const ADA = '{"username":"ada","password":"pw","email":"ada@example.org"}';
const JSON_TYPE = { 'Content-Type': 'application/json' };

// spec 1-2
api.each('JSON as Content-Type {1} is {0}, or 400 if malformed', [
  [201, 'application/json'], [201, 'APPLICATION/JSON'], [201, 'application/json; charset=utf-8'],
  [201, 'application/vnd.api+json'], [201],
  [415, 'text/plain'], [415, 'application/x-www-form-urlencoded'], [415, 'multipart/form-data; boundary=x'],
  [415, 'text/json-ish'], [415, 'application/jsonp'], [415, ''], [415, '+json'],
], async ({ expect }, [status, type]) => {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  await expect(status, REGISTER, { body: ADA, headers });
  await expect(400, REGISTER, { body: '{"username"', headers });
});

api.each('a registration with {0} is 400, because {1}', [
  ['no body', 'the request has no body; send a JSON object', {}],
  ['a form', 'it is a form; send JSON as application/json', { form: 'username=ada' }],
  ['a multipart form', 'it is a form; send JSON as application/json',
    { body: '--x\r\n', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }],
  ['a mistake in the second line', 'it is not well-formed JSON',
    { body: '{"username": "ada",\n"password": pw}' }],
], async ({ expect }, [, detail, options]) => {
  const { json } = await expect(400, REGISTER, options);
  assert.equal(json['detail'], `Cannot read the body: ${detail}`);
});

api.each('a body with {0}: {1} is 415 without type, and {2} as JSON', [
  ['Origin', 'https://other.example', 201], ['Origin', 'null', 201], ['Sec-Fetch-Site', 'cross-site', 201],
  ['Content-Encoding', 'gzip', 415],
], async ({ expect }, [name, value, status]) => {
  await expect(415, REGISTER, { body: ADA, headers: { [name]: value } });
  await expect(status, REGISTER, { body: ADA, headers: { [name]: value, ...JSON_TYPE } });
});

const envelope = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${ADA.slice(1)}`;
// spec 7-1
api.each('a body {0} is {1}', [
  ['nested 64 levels deep', 201, envelope(64)],
  ['nested 65 or 8 000 levels deep', 400, envelope(65), '['.repeat(8_000)],
  ['with brackets only in a string', 201, `{"x":"${'['.repeat(1000)}\\"[",${ADA.slice(1)}`],
  ['that is not UTF-8', 400, Buffer.from(ADA.replace('pw', 'p\u00e9'), 'latin1')],
  ['with half of a surrogate pair', 400, ADA.replace('pw', 'p\\ud800')],
  ['with 30 combining marks in a row', 201, ADA.replace('pw', `p${'\u0301'.repeat(30)}`)],
  ['with 31 combining marks in a row', 400, ADA.replace('pw', `p${'\u0301\u0327'.repeat(15)}\u0323`)],
  ['with 2 000 combining marks in a row', 400, ADA.replace('{', `{"a${'\u0327\u0301'.repeat(1_000)}":1,`)],
  ['with more than JSON', 400, `\ufeff${ADA}`, `${ADA}\0`, `/**/${ADA}`, '{"username":"ada",}'],
  ['that is no object', 400, '', '{', 'null', '[]', '"ada"', '7'],
  ['that lacks own members', 400, '{}', `{"__proto__":${ADA}}`],
  ['with a duplicate member, whose last value counts', 201, `{"username":7,${ADA.slice(1)}`],
  ['with a number beyond the range of doubles', 201, `{"x":1e999999,${ADA.slice(1)}`],
  ['with an integer beyond 2^63 as a name', 400, ADA.replace('"ada"', '18446744073709551616')],
], async ({ expect }, [, status, ...bodies]) => {
  for (const body of bodies) {
    await expect(status, REGISTER, { body, headers: JSON_TYPE });
    await expect(200, 'GET /');
  }
});

api.each('{0} accepts {1} bytes, with Content-Length or chunked; one more is 413', [
  ['POST /api/v1/users', 8_192], ['POST /api/v1/tokens', 8_192], ['PATCH /api/v1/users/ada', 8_192],
  ['PUT /api/v1/users/ada/password', 8_192], ['GET /api/v1/projects', 8_192],
  ['POST /api/v1/projects', 32_768], ['PATCH /api/v1/projects/engine', 32_768],
], async ({ port, registerWithToken }, [line, sizeMax]) => {
  const as = await registerWithToken('ada');
  const head = `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\nConnection: close\r\n`;
  for (const size of [sizeMax, sizeMax + 1]) {
    const body = `[]${' '.repeat(size - 2)}`;
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const content of [`Content-Length: ${size}\r\n\r\n${body}`, chunked]) {
      const answer = await exchangeRaw(port, head + content);
      assert.equal(statusOf(answer) === 413, size > sizeMax, answer);
      assert.equal(answer.includes(`The body may have at most ${sizeMax} bytes`), size > sizeMax);
    }
  }
});

people('the longest values fit into a body, even if every non-ASCII character is escaped', async (world) => {
  const key = '\\ud83d\\udddd';
  const name = '\\u00e9'.repeat(64);
  const account = `{"username":"${name}","password":"${key.repeat(256)}","email":"eve@example.org"}`;
  await world.expect(201, REGISTER, { body: account });
  const project = `{"name":"${key.repeat(255)}","description":"${key.repeat(2_000)}"}`;
  await world.expect(201, 'POST /api/v1/projects', { as: world.ada, body: project });
});

api.each('a body {0} is refused', [
  ['with too large a Content-Length', 'Content-Length: 99999999999\r\n\r\n'], // before the body is sent
  ['that never ends', `Transfer-Encoding: chunked\r\n\r\n${`1000\r\n${'x'.repeat(4096)}\r\n`.repeat(40)}`],
], async ({ port }, [, content]) => {
  const answer = await exchangeRaw(port, `POST /api/v1/users HTTP/1.1\r\nHost: x\r\n${content}`);
  assert.equal(statusOf(answer), 413);
  assert.match(answer, /Connection: close/);
});

api.each('a request id {0} is {1}, in the response and the log', [
  ['of a trusted proxy', 'used', BEHIND_PROXY, '6f1c1c3e-0000-4000-8000-000000000000', 'a'.repeat(128),
    'Root=1-67891233:a_b.c@d+/=='],
  ['that is malformed', 'replaced', BEHIND_PROXY, 'a'.repeat(129), 'a b', 'a, b', '"', '<p>', 'é', ''],
  ['of a client', 'replaced', {}, 'a'],
  ['of a client next to a proxy', 'replaced', { trustedProxies: parseTrustedProxies('127.0.0.2') }, 'a'],
], async ({ call, logLines }, [, outcome, , ...ids]) => {
  for (const id of ids) {
    const { headers, json } = await call('GET /nowhere', { headers: { 'X-Request-Id': id } });
    const used = String(headers['x-request-id']);
    assert.ok(outcome === 'used' ? used === id : /^[0-9a-f-]{36}$/.test(used), used);
    assert.deepEqual([json['request_id'], JSON.parse(logLines.at(-1) ?? '').request_id], [used, used]);
  }
}, ([, , settings]) => settings);
