/** HTTP/1.1 keeps a connection open after a response (RFC 9112 §9.3). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { CLOSE, get, MIB } from '../support/listener.ts';
import { exchangeRaw, openSocket, statusOf } from '../support/raw-http.ts';
import { api, BEHIND_PROXY, occupyHashes } from '../support/service.ts';

const GET = 'GET / HTTP/1.1\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';

function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

const getOf = (size: number, start = '/') => get(start + 'a'.repeat(size - start.length));
const withFields = (...lines: readonly string[]) => Buffer.from(`${[GET, ...lines].join('')}\r\n`);
const fields = (count: number) => withFields('A: b\r\n'.repeat(count - 1), 'Host: x\r\n');
const field = (sizeBytes: number) => withFields(`A: ${'a'.repeat(sizeBytes)}\r\n`, 'Host: x\r\n');

// The second status belongs to the next request. If a row has no second status, the server must close the
// connection. If a text stands in place of the second status, `detail` must contain this text.
api.each('a request with {0} and the next request get {1}', [
  ['two Host fields', [400, 'HTTP requires exactly one valid Host field'],
    withFields('Host: a\r\n', 'Host: b\r\n'), withFields('Host: a\r\n', 'HOST: a\r\n'),
    'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['no Host field', [400, 'HTTP requires exactly one valid Host field'], withFields()],
  ['an invalid Host field', [400, 'HTTP requires exactly one valid Host field'],
    ...['a b', 'a/b', 'a?b', 'a#b', 'ann@a', 'a\\b', '<a>', 'é']
      .map((host) => withFields(`Host: ${host}\r\n`)),
    'GET / HTTP/1.0\r\nHost: a b\r\n\r\n'],
  ['a valid Host field', [200, 200],
    ...['', 'a.example', 'a.example:8080', '[::1]:8080', '%C3%A9.example']
      .map((host) => withFields(`host: ${host}\r\n`))],
  ['no Host field in HTTP/1.0', [200], 'GET / HTTP/1.0\r\n\r\n'],
  ['two Authorization fields', [400, 'there is more than one Authorization field'],
    withFields('Host: x\r\n', 'Authorization: a\r\n', 'Authorization: a\r\n'),
    withFields('Host: x\r\n', 'Authorization: a\r\n', 'authorization: Bearer b\r\n')],
  ['fields for a server and a proxy', [200, 200],
    withFields('Host: x\r\n', 'Proxy-Authorization: a\r\n', 'Authorization: a\r\n')],
  ['Transfer-Encoding in HTTP/1.0', [400, 'Transfer-Encoding requires HTTP/1.1'],
    ...['chunked', 'gzip, chunked'].map((coding) => 'POST / HTTP/1.0\r\nHost: x\r\n' +
      `Connection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`)],
  ['Transfer-Encoding: identity', [400], `${POST}Transfer-Encoding: identity\r\n\r\n`,
    'POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n'],
  ['both Content-Length and Transfer-Encoding', [400],
    `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['two Content-Length fields', [400], `${POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
  ['a body that is too long or never ends', [413], // the service does not wait for the end of the body
    'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n',
    'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n' +
      `1000\r\n${'x'.repeat(4096)}\r\n`.repeat(40)],
  ['a space before the colon', [400], `${GET}Host : x\r\n\r\n`],
  ['an absolute target', [200, 200], get('http://other.example/index'), get('http://other.example')],
  ['a fragment', [400, 200], get('/#x')],
  ['a bad escape', [400, 200], get('/api/v1/users/%zz'), get('/?x=%ff')],
  ['non-ASCII bytes in the target', [400], Buffer.from(get('/é'))],
  ['an expectation', [417], `${GET}Host: x\r\nExpect: miracles\r\n\r\n`],
  ['100 fields', [200, 200], fields(100)],
  ['101 or more fields', [431], fields(101), fields(10_000)],
  ['a field of 16200 bytes', [200, 200], field(16_200)],
  ['a field of 16400 or more bytes', [431], field(16_400), field(65_536)],
  ['a path and query of 12288 bytes', [404, 200], getOf(12_288), getOf(12_288, '/n?')],
  ['a path and query of more bytes', [414], getOf(12_289), getOf(12_289, '/n?'), getOf(100_000)],
  ['a field named __proto__', [200, 200], `${GET}Host: x\r\n__proto__: x\r\nconstructor: y\r\n\r\n`],
  ['another protocol', [400], 'GET /\r\n\r\n', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 'HELLO\r\n\r\n'],
  ['a TLS ClientHello', [400], Buffer.from('160301020001000001fc0303', 'hex')],
], async ({ expect, logLines, port }, [title, [status, then], ...messages]) => {
  const next = typeof then === 'number' ? then : undefined;
  for (const message of messages) {
    logLines.length = 0;
    const answer = await exchangeRaw(port, Buffer.concat([message, get('/livez', CLOSE)]
      .map((part) => Buffer.from(part))));
    assert.deepEqual(statusesOf(answer), next === undefined ? [status] : [status, next], answer);
    const [head = '', rest = ''] = answer.split(/\r\n\r\n(.*)/s);
    assert.match(head, /Access-Control-Allow-Origin: \*/);
    assert.match(head, /^Date: \w{3}, .* GMT\r?$/m);
    assert.equal(/^Connection: close\r?$/m.test(head), next === undefined);
    if (status >= 400) {
      assert.match(head, /Content-Type: application\/problem\+json/);
      const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
      const problem = JSON.parse(rest.slice(0, length));
      assert.equal(problem.status, status);
      assert.ok(next !== undefined || problem.detail.includes(then ?? ''), problem.detail);
    }
    const [logged, following] = logLines.map((line) => JSON.parse(line));
    assert.deepEqual([logged.message, logged.status, logged.address], ['request', status, '127.0.0.1']);
    assert.ok(logged.bytes > 0 && (title !== 'a TLS ClientHello' || logged.method === undefined));
    assert.equal(following?.route, next === undefined ? undefined : '/livez');
    await expect(200, 'GET /');
  }
});

/** Tries again until a response arrives, because the server sometimes closes the connection too early. */
async function exchangeLate(port: number, bytes: string): Promise<string> {
  return await exchangeRaw(port, bytes) || exchangeLate(port, bytes);
}

api.each('a request whose {0} too late is 408, and its connection is closed', [
  ['header fields arrive', `${GET}Host: x\r\n`],
  ['body arrives', 'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{'],
], async ({ port }, [, bytes]) => {
  const answer = await exchangeLate(port, bytes);
  assert.equal(statusOf(answer), 408);
  assert.match(answer, /request-timeout/);
}, { headersTimeoutMs: 50, requestTimeoutMs: 100, timeoutCheckIntervalMs: 20 });

// spec 4.1-1
api.each('{0}; each request has its own log line', [
  ['the request after a revocation in the same packet is refused',
    [200, 'DELETE /api/v1/token'], [401, 'GET /api/v1/user']],
  ['one packet can create, read and delete a project, which is then 404',
    [201, 'POST /api/v1/projects', '{"name":"engine"}'], [200, 'GET /api/v1/projects/engine'],
    [200, 'DELETE /api/v1/projects/engine'], [404, 'GET /api/v1/projects/engine']],
  ['an unexpected body is not parsed as the next request',
    [200, 'GET /', get('/nowhere')], [200, 'GET /index']],
], async (service, [, ...requests]) => {
  const as = await service.registerWithToken('ada');
  service.logLines.length = 0;
  const bytes = requests.map(([, line, body = '']) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const answer = await exchangeRaw(service.port, `${bytes.join('')}${get('/livez', CLOSE)}`);
  const expected = [...requests.map(([status]) => status), 200];
  assert.deepEqual(statusesOf(answer), expected);
  const lines = service.logLines.map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ message, status }) => message === 'request' && status), expected);
});

api('a body that the operation does not read is discarded while the password waits', async (service, t) => {
  const { expect, port, register } = service;
  const fields = `Host: x\r\nAuthorization: ${await register('ada')}\r\nContent-Length: ${32 * MIB}\r\n\r\n`;
  const { release } = occupyHashes(service);
  const socket = await openSocket(t, port, `GET /api/v1/user HTTP/1.1\r\n${fields}`);
  socket.write(Buffer.alloc(32 * MIB)); // more bytes than the kernel can buffer
  for (let turn = 0; turn < 1_000 && socket.writableLength > 0; turn += 1) {
    await expect(200, 'GET /livez');
  }
  assert.equal(socket.writableLength, 0);
  release();
  assert.equal(statusOf(String(await once(socket, 'data'))), 200);
});

async function open(t: TestContext, port: number, localAddress?: string) {
  const socket = await openSocket(t, port, get('/'), localAddress);
  await once(socket, 'data');
  return socket;
}

api('with 2 connections per address, a third one is closed unread until one closes', async (service, t) => {
  const { logLines, port } = service;
  const [first] = [await open(t, port), await open(t, port), await open(t, port, '127.0.0.2')];
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    assert.equal(await exchangeRaw(port, get('/', CLOSE)), '');
  }
  const warning = '"no more connections accepted","address":"127.0.0.1"';
  assert.equal(logLines.filter((line) => line.includes(warning)).length, 1, 'reported once');
  first?.end();
  assert.equal(statusOf(await exchangeLate(port, get('/', CLOSE))), 200);
}, { connectionsPerAddressMax: 2 });

api('the limit of connections per address does not apply to proxies in TRUST_PROXY', async ({ port }, t) => {
  await open(t, port);
  assert.equal(statusOf(await exchangeRaw(port, get('/', CLOSE))), 200);
}, { ...BEHIND_PROXY, connectionsPerAddressMax: 1 });
