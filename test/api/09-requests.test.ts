/**
 * Tests bodies, media types, request ids, and requests that violate HTTP. Bad input must never cause a 5xx.
 */
import assert from 'node:assert/strict';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api, BEHIND_PROXY, people } from '../support/service.ts';

const REGISTER = 'POST /api/v1/users';
const ADA = '{"username":"ada","password":"pw","email":"ada@example.org"}';

for (const [type, status] of [
  ['application/json', 201], ['APPLICATION/JSON', 201], ['application/json; charset=utf-8', 201],
  ['application/vnd.api+json', 201], [undefined, 201],
  ['text/plain', 415], ['application/x-www-form-urlencoded', 415], ['multipart/form-data; boundary=x', 415],
  ['text/json-ish', 415], ['application/jsonp', 415], ['', 415], ['+json', 415],
] as const) {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  // spec 1-2
  api(`JSON as Content-Type ${type ?? 'absent'} is ${status}, or 400 if malformed`, async ({ expect }) => {
    await expect(status, REGISTER, { body: ADA, headers });
    await expect(400, REGISTER, { body: '{"username"', headers });
  });
}

for (const [title, options, detail] of [
  ['no body', {}, 'the request has no body; send a JSON object'],
  ['a form', { body: 'username=ada', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    'it is a form; send JSON as application/json'],
  ['a multipart form', { body: '--x\r\n', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } },
    'it is a form; send JSON as application/json'],
  ['a mistake in the second line', { body: '{"username": "ada",\n"password": pw}' },
    'it is not well-formed JSON'],
] as const) {
  api(`a registration with ${title} is 400, and the detail says why`, async ({ expect }) => {
    const { json } = await expect(400, REGISTER, options);
    assert.equal(json['detail'], `Cannot read the body: ${detail}`);
  });
}

for (const headers of [
  { 'Origin': 'https://other.example' }, { 'Origin': 'null' }, { 'Sec-Fetch-Site': 'cross-site' },
]) {
  const title = `a body without type but with ${Object.keys(headers)} ${Object.values(headers)} is 415`;
  api(title, async ({ expect }) => {
    await expect(415, REGISTER, { body: ADA, headers });
    await expect(201, REGISTER, { body: ADA, headers: { ...headers, 'Content-Type': 'application/json' } });
  });
}

api('a body with a content coding is 415', async ({ expect }) => {
  await expect(415, REGISTER, { body: ADA, headers: { 'Content-Encoding': 'gzip' } });
});

const envelope = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${ADA.slice(1)}`;
for (const [title, body, status] of [
  ['nested 64 levels deep', envelope(64), 201],
  ['nested 65 levels deep', envelope(65), 400],
  ['nested 8 000 levels deep', '['.repeat(8_000), 400],
  ['with brackets only in a string', `{"x":"${'['.repeat(1000)}\\"[",${ADA.slice(1)}`, 201],
  ['that is not UTF-8', Buffer.from(ADA.replace('pw', 'p\u00e9'), 'latin1'), 400],
  ['with half of a surrogate pair', ADA.replace('pw', 'p\\ud800'), 400],
  ['with 30 combining marks in a row', ADA.replace('pw', `p${'\u0301'.repeat(30)}`), 201],
  ['with 31 combining marks in a row', ADA.replace('pw', `p${'\u0301\u0327'.repeat(15)}\u0323`), 400],
  ['with 2 000 combining marks in a row', ADA.replace('{', `{"a${'\u0327\u0301'.repeat(1_000)}":1,`), 400],
  ['with a byte order mark', `\ufeff${ADA}`, 400],
  ['with a trailing NUL', `${ADA}\0`, 400],
  ['with a comment', `/**/${ADA}`, 400],
  ['with a duplicate member, whose last value counts', `{"username":7,${ADA.slice(1)}`, 201],
  ['with a number beyond the range of doubles', `{"x":1e999999,${ADA.slice(1)}`, 201],
  ['with an integer beyond 2^63 as a name', ADA.replace('"ada"', '18446744073709551616'), 400],
] as const) {
  api(`a body ${title} is ${status}`, async ({ expect }) => {
    await expect(status, REGISTER, { body, headers: { 'Content-Type': 'application/json' } });
    await expect(200, 'GET /');
  });
}

for (const [line, sizeMax] of [
  ['POST /api/v1/users', 8_192], ['POST /api/v1/tokens', 8_192], ['PATCH /api/v1/users/ada', 8_192],
  ['PUT /api/v1/users/ada/password', 8_192], ['GET /api/v1/projects', 8_192],
  ['POST /api/v1/projects', 32_768], ['PATCH /api/v1/projects/engine', 32_768],
] as const) {
  const title = `${line} accepts ${sizeMax} bytes, with Content-Length or chunked; one more is 413`;
  api(title, async ({ port, registerWithToken }) => {
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
}

people('the longest values fit into a body, even if every non-ASCII character is escaped', async (world) => {
  const headers = { 'Content-Type': 'application/json' };
  const password = '\\ud83d\\udddd'.repeat(256);
  const account = `{"username":"${'\\u00e9'.repeat(64)}","password":"${password}","email":"eve@example.org"}`;
  await world.expect(201, REGISTER, { body: account, headers });
  const key = '\\ud83d\\udddd';
  const project = `{"name":"${key.repeat(255)}","description":"${key.repeat(2_000)}"}`;
  await world.expect(201, 'POST /api/v1/projects', { as: world.ada, body: project, headers });
});

api('a body with too large a Content-Length is refused before it is sent', async ({ port }) => {
  const head = 'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n';
  const answer = await exchangeRaw(port, head);
  assert.equal(statusOf(answer), 413);
  assert.match(answer, /Connection: close/);
});

api('a chunked body that never ends is refused at the limit', async ({ port }) => {
  const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
  const head = 'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.equal(statusOf(await exchangeRaw(port, head + chunk.repeat(40))), 413);
});

for (const [title, id] of [
  ['a UUID', '6f1c1c3e-0000-4000-8000-000000000000'], ['128 characters', 'a'.repeat(128)],
  ['digits and signs', 'Root=1-67891233:a_b.c@d+/=='],
] as const) {
  const sentence = `a request id of ${title} from a trusted proxy is in the response and the log`;
  api(sentence, BEHIND_PROXY, async ({ call, logLines }) => {
    const { headers, json } = await call('GET /nowhere', { headers: { 'X-Request-Id': id } });
    assert.deepEqual([headers['x-request-id'], json['request_id']], [id, id]);
    assert.ok(logLines.some((line) => JSON.parse(line).request_id === id));
  });
}

for (const [title, settings, id] of [
  ...['a'.repeat(129), 'a b', 'a, b', '"', '<p>', 'é', '']
    .map((id) => [`"${id.slice(0, 9)}"`, BEHIND_PROXY, id] as const),
  ['of a client', {}, 'a'],
  ['of a client next to a trusted proxy', { trustedProxies: parseTrustedProxies('127.0.0.2') }, 'a'],
] as const) {
  api(`the request id ${title} is replaced by a new one`, settings, async ({ call }) => {
    const { headers } = await call('GET /', { headers: { 'X-Request-Id': id } });
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });
}

const GET = 'GET / HTTP/1.1\r\n';
for (const [title, bytes, status] of [
  ['two Host fields', `${GET}Host: a\r\nHost: b\r\n\r\n`, 400],
  ['no Host field', `${GET}\r\n`, 400],
  ['an invalid Host field', `${GET}Host: a/b\r\n\r\n`, 400],
  ['no Host field in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 200],
  ['two Authorization fields', `${GET}Host: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n`, 400],
  [
    'Transfer-Encoding in HTTP/1.0',
    'POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400,
  ],
  [
    'both Content-Length and Transfer-Encoding',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400,
  ],
  [
    'two Content-Length fields',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd', 400,
  ],
  ['a space before the colon', `${GET}Host : x\r\n\r\n`, 400],
  ['an absolute target', 'GET http://other.example/index HTTP/1.1\r\nHost: x\r\n\r\n', 200],
  ['an absolute target without a path', 'GET http://other.example HTTP/1.1\r\nHost: x\r\n\r\n', 200],
  ['a fragment', 'GET /#x HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a bad escape in the path', 'GET /api/v1/users/%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a bad escape in the query', 'GET /?x=%ff HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['non-ASCII bytes in the target', Buffer.from('GET /é HTTP/1.1\r\nHost: x\r\n\r\n'), 400],
  ['an expectation', `${GET}Host: x\r\nExpect: miracles\r\n\r\n`, 417],
  ['101 fields', `${GET}Host: x\r\n${'A: b\r\n'.repeat(100)}\r\n`, 431],
  ['10 000 fields', `${GET}Host: x\r\n${'A: b\r\n'.repeat(10_000)}\r\n`, 431],
  ['a field of 64 KB', `${GET}Host: x\r\nA: ${'b'.repeat(65_536)}\r\n\r\n`, 431],
  ['a target of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414],
  ['a field named __proto__', `${GET}Host: x\r\n__proto__: x\r\nconstructor: y\r\n\r\n`, 200],
  ['HTTP/0.9', 'GET /\r\n\r\n', 400],
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 400],
  ['a line that is not HTTP', 'HELLO\r\n\r\n', 400],
  ['a TLS ClientHello', Buffer.from('160301020001000001fc0303', 'hex'), 400],
] as const) {
  api(`a request with ${title} is ${status}`, async (service) => {
    const closing = typeof bytes === 'string'
      ? bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
      : bytes;
    const answer = await exchangeRaw(service.port, closing);
    assert.equal(statusOf(answer), status, answer);
    assert.match(answer, /Access-Control-Allow-Origin: \*/);
    if (status >= 400) {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      assert.match(head, /Content-Type: application\/problem\+json/);
      assert.equal(/Content-Length: (\d+)/.exec(head)?.[1], String(body.length));
      assert.equal(JSON.parse(body).status, status);
    }
    await service.expect(200, 'GET /');
  });
}

/**
 * Repeats the exchange until a response arrives. A response is lost if the bytes of the client arrive too
 * late on a busy machine.
 */
async function exchangeLate(port: number, bytes: string): Promise<string> {
  for (;;) {
    const answer = await exchangeRaw(port, bytes);
    if (answer !== '') {
      return answer;
    }
  }
}

for (const [title, bytes] of [
  ['header fields arrive', `${GET}Host: x\r\n`],
  ['body arrives', 'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{'],
] as const) {
  api(`a request whose ${title} too late is 408, and its connection is closed`, {
    headersTimeoutMs: 50, requestTimeoutMs: 100, timeoutCheckIntervalMs: 20,
  }, async ({ port }) => {
    const answer = await exchangeLate(port, bytes);
    assert.equal(statusOf(answer), 408);
    assert.match(answer, /request-timeout/);
  });
}

// spec 4.1-1
api('an unexpected body is not parsed as the next request', async ({ port }) => {
  const smuggled = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
  const first = `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
  const answer = await exchangeRaw(
    port, `${first}GET /index HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(answer.match(/HTTP\/1\.1 200/g)?.length, 2);
  assert.doesNotMatch(answer, /HTTP\/1\.1 404/);
});
