/** 25-connections.test.ts tests endless bodies. */
import assert from 'node:assert/strict';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api, BEHIND_PROXY, people } from '../support/service.ts';

const REGISTER = 'POST /api/v1/users';
const CREATE = 'POST /api/v1/projects';
const ADA = '{"username":"ada","password":"pw","email":"ada@example.org"}';
const JSON_TYPE = { 'Content-Type': 'application/json' };

// spec 1-2
api.each('JSON is {0} with a Content-Type such as {1}, or 400 if malformed', [
  [201, 'application/json', undefined, 'APPLICATION/JSON', 'application/json;charset=utf-8',
    'application/json ; charset=utf-8', 'application/problem+json', 'application/did+ld+json',
    'application/vnd.example.v1+json; q=1'],
  [415, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json-ish',
    'application/jsonp', '', '+json', 'json', 'text/json', 'text/plain; application/json',
    'application/json5', 'application/jsonx+xml', 'application/json, text/plain', 'application/+json',
    '/a+json', 'application/json/x'],
], async ({ expect }, [status, ...types]) => {
  for (const [index, type] of types.entries()) {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    await expect(status, REGISTER, { body: ADA.replace('ada', `ada-${index}`), headers });
    await expect(400, REGISTER, { body: '{"username"', headers });
  }
});

const nest = (open: string, close: string, count: number) => open.repeat(count) + '1' + close.repeat(count);

// spec 7-2
api.each('a body {0} is 400, because {1}', [
  ['of no bytes', 'the request has no body; send a JSON object', {}],
  ['that is a form', 'it is a form; send JSON as application/json', { form: 'username=ada' },
    { body: '--x\r\n', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }],
  ['that is not JSON', 'it is not well-formed JSON', ...[
    ' ', '{', '}', '[', ']', '{]', '[}', '[]]', '][', '[1,]', '[,1]', '[1,,2]', '[1 2]',
    '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "{'a':1}", '{"a":1 "b":2}', '{"a":1}{}', '{}#', '[1]/**/',
    '// a\n1', '"a', 'a"', "'a'", '"\t"', '"\n"', '"\\x41"', '"\\u12"', '"\\', `/**/${ADA}`,
    '01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'Infinity', 'undefined', 'True', 'nul',
    '\u00a0{}', '\ufeff{}', '{}\0', '{"password":"s3cret"', 's3cret', '{"username": "ada",\n"password": pw}',
  ].map((body) => ({ body }))],
  ['that is not UTF-8', 'it is not valid UTF-8', ...[
    [0x22, 0xe9, 0x22], // a byte of Latin-1
    [0x22, 0xc0, 0xaf, 0x22], // an overlong encoding of a slash
    [0x22, 0xed, 0xa0, 0x80, 0x22], // a surrogate
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], // a code point beyond U+10FFFF
    [0x22, 0xe2, 0x82, 0x22], // an incomplete character
  ].map((bytes) => ({ body: Buffer.from(bytes) }))],
  ['with half of a surrogate pair, or 31 marks',
    'it contains half of a surrogate pair, or more than 30 combining marks in a row', ...[
      '"\\ud83d"', '"\\udddd\\ud83d"', '[{"a":"x\\udc00"}]', '{"\\ud800":1}', '"s3cret\\ud800"',
      ADA.replace('pw', `p${'\u0301\u0327'.repeat(15)}\u0323`),
      ADA.replace('{', `{"a${'\u0327\u0301'.repeat(1_000)}":1,`),
    ].map((body) => ({ body }))],
  ['that is nested too deep', 'it is nested deeper than 64 levels', ...[
    nest('[', ']', 65), nest('{"a":', '}', 65), nest('[{"a":', '}]', 33), nest('[', ']', 4_000),
    nest('{"a":', '}', 1_300), nest('[', ']', 65).replace('1', '"s3cret"'),
  ].map((body) => ({ body }))],
], async ({ expect, registerWithToken }, [, detail, ...requests]) => {
  const as = await registerWithToken('eve');
  for (const options of requests) {
    for (const line of [REGISTER, CREATE]) {
      const { json } = await expect(400, line, { as, ...options });
      assert.equal(json['detail'], `Cannot read the body: ${detail}`, `${line} ${JSON.stringify(options)}`);
    }
  }
});

people('texts in a body are read with their escapes, as composed characters', async ({ ada: as, expect }) => {
  for (const [index, name] of ['Jose\\u0301', 'Jose\u0301'].entries()) {
    const body = `{"name":"${name} ${index}","description":"\\ud83d\\udddd \\/ \\""}`;
    const { json } = await expect(201, CREATE, { as, body });
    assert.deepEqual([json['name'], json['description']], [`Jos\u00e9 ${index}`, '🗝 / "']);
  }
});

api.each('a body with {0}: {1} is 415 without type, and {2} as JSON', [
  ['Origin', 'https://other.example', 201], ['Origin', 'null', 201], ['Sec-Fetch-Site', 'cross-site', 201],
  ['Content-Encoding', 'gzip', 415],
], async ({ expect }, [name, value, status]) => {
  await expect(415, REGISTER, { body: ADA, headers: { [name]: value } });
  await expect(status, REGISTER, { body: ADA, headers: { [name]: value, ...JSON_TYPE } });
});

// spec 7-1
api.each('a body {0} is {1}', [
  ['nested 64 levels deep', 201, `{"x":${nest('[', ']', 63)},${ADA.slice(1)}`],
  ['nested 64 levels deep in another way', 201, `{"x":[${nest('{"a":[', ']}', 31)}],${ADA.slice(1)}`],
  ['with brackets only in a string', 201, `{"x":"${'['.repeat(1000)}\\"[",${ADA.slice(1)}`],
  ['with 30 combining marks in a row', 201, ADA.replace('pw', `p${'\u0301'.repeat(30)}`)],
  ['with any values', 201, ` {"x":\t\r\n[1, 2.5e-1, -0, true, false, null, "a"],${ADA.slice(1)} `],
  ['that is no object', 400, 'null', '[]', '"ada"', '7'],
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
  const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
  const account = `{"username":"${name}","password":"${key.repeat(256)}","email":"${email}"}`;
  await world.expect(201, REGISTER, { body: account });
  const project = `{"name":"${key.repeat(255)}","description":"${key.repeat(2_000)}"}`;
  await world.expect(201, CREATE, { as: world.ada, body: project });
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
