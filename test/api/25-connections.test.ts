/** Tests several requests on one connection (RFC 9112 §9.3), and requests that close the connection. */
import assert from 'node:assert/strict';
import { exchangeRaw } from '../support/raw-http.ts';
import { api } from '../support/service.ts';

const CLOSE = 'Connection: close\r\n';

/** @param line - The method and the target. */
function toRequest(line: string, fields: string, json?: object): string {
  const body = json === undefined ? '' : JSON.stringify(json);
  const length = json === undefined ? '' : `Content-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: x\r\n${fields}${length}\r\n${body}`;
}

function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

api('the request after a revocation in the same packet is refused', async (service) => {
  const fields = `Authorization: ${await service.registerWithToken('ada')}\r\n`;
  const bytes = toRequest('DELETE /api/v1/token', fields) + toRequest('GET /api/v1/user', fields + CLOSE);
  assert.deepEqual(statusesOf(await exchangeRaw(service.port, bytes)), [200, 401]);
});

api('one packet can create, read and delete a project, which is then 404', async (service) => {
  const fields = `Authorization: ${await service.registerWithToken('ada')}\r\n`;
  const bytes =
    toRequest('POST /api/v1/projects', fields, { name: 'engine' }) +
    toRequest('GET /api/v1/projects/engine', fields) +
    toRequest('DELETE /api/v1/projects/engine', fields) +
    toRequest('GET /api/v1/projects/engine', fields + CLOSE);
  assert.deepEqual(statusesOf(await exchangeRaw(service.port, bytes)), [201, 200, 200, 404]);
});

api('each request in a packet has its own log line and duration', async (service) => {
  await exchangeRaw(service.port, toRequest('GET /livez', '').repeat(3) + toRequest('GET /nowhere', CLOSE));
  const lines = service.logLines.map((line) => JSON.parse(line));
  const statuses = lines.filter(({ message }) => message === 'request').map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200, 404]);
});

for (const [title, bytes] of [
  ['two Host fields', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['an invalid Host field', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['no Host field', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Authorization fields', 'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n'],
  [
    'Transfer-Encoding in HTTP/1.0',
    'POST / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['101 fields', `GET / HTTP/1.1\r\nHost: a\r\n${'A: b\r\n'.repeat(100)}\r\n`],
] as const) {
  api(`a request with ${title} closes its connection, and the next gets no response`, async (service) => {
    const answer = await exchangeRaw(service.port, bytes + toRequest('GET /livez', ''));
    assert.equal(statusesOf(answer).length, 1, answer);
    assert.match(answer, /^Connection: close\r?$/m);
    assert.equal(service.logLines.filter((line) => line.includes('"/livez"')).length, 0);
  });
}
