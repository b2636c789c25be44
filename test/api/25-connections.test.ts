/** Tests several requests on one connection (RFC 9112 §9.3), and requests that close the connection. */
import assert from 'node:assert/strict';
import { exchangeRaw } from '../support/raw-http.ts';
import { api } from '../support/service.ts';

const CLOSE = 'Connection: close\r\n';

function toRequest(line: string, fields: string, json?: object): string {
  const body = json === undefined ? '' : JSON.stringify(json);
  const length = json === undefined ? '' : `Content-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: x\r\n${fields}${length}\r\n${body}`;
}

function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

for (const [title, requests] of [
  ['the request after a revocation in the same packet is refused', [
    [200, 'DELETE /api/v1/token'], [401, 'GET /api/v1/user'],
  ]],
  ['one packet can create, read and delete a project, which is then 404', [
    [201, 'POST /api/v1/projects', { name: 'engine' }], [200, 'GET /api/v1/projects/engine'],
    [200, 'DELETE /api/v1/projects/engine'], [404, 'GET /api/v1/projects/engine'],
  ]],
] as const) {
  api(`${title}; each request has its own log line`, async (service) => {
    const fields = `Authorization: ${await service.registerWithToken('ada')}\r\n`;
    service.logLines.length = 0;
    const bytes = requests.map(([, line, json], index) =>
      toRequest(line, index === requests.length - 1 ? fields + CLOSE : fields, json)).join('');
    const expected = requests.map(([status]) => status);
    assert.deepEqual(statusesOf(await exchangeRaw(service.port, bytes)), expected);
    const lines = service.logLines.map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ message, status }) => message === 'request' && status), expected);
  });
}

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
