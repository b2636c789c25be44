/**
 * Tests the limits on requests and connections, and what the service does with a connection after a refusal.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { openSocket } from '../support/open-socket.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { api, BEHIND_PROXY } from '../support/service.ts';

const END = 'Host: x\r\nConnection: close\r\n\r\n';

const requestLine = (target: string) => `GET ${target} HTTP/1.1\r\n${END}`;
const field = (sizeBytes: number) => `GET / HTTP/1.1\r\nA: ${'a'.repeat(sizeBytes)}\r\n${END}`;
const fields = (count: number) => `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(count - 2)}${END}`;

for (const [title, bytes, status] of [
  ['a path of 12288 bytes', requestLine(`/${'a'.repeat(12_287)}`), 404],
  ['a path of 12289 bytes', requestLine(`/${'a'.repeat(12_288)}`), 414],
  ['a path and query of 12288 bytes', requestLine(`/nowhere?x=${'a'.repeat(12_277)}`), 404],
  ['a path and query of 12289 bytes', requestLine(`/nowhere?x=${'a'.repeat(12_278)}`), 414],
  ['a target of 20000 bytes', requestLine(`/${'a'.repeat(19_999)}`), 414],
  ['a field of 16200 bytes', field(16_200), 200],
  ['a field of 16400 bytes', field(16_400), 431],
  ['100 header fields', fields(100), 200],
  ['101 header fields', fields(101), 431],
] as const) {
  api(`A request with ${title} is ${status}`, async ({ port }) => {
    assert.equal(statusOf(await exchangeRaw(port, bytes)), status);
  });
}

api('with 2 connections per address, a third one is closed unread until one closes', {
  connectionsPerAddressMax: 2,
}, async (service, t) => {
  const [first] = [await open(t, service.port), await open(t, service.port)];
  assert.equal(await exchangeRaw(service.port, requestLine('/')), '');
  assert.ok(
    service.logLines.some((line) => line.includes('"no more connections accepted","address":"127.0.0.1"')),
  );
  first?.end();
  let answer = '';
  while (answer === '') {
    answer = await exchangeRaw(service.port, requestLine('/'));
  }
  assert.equal(statusOf(answer), 200);
});

api('the limit of connections per address does not apply to proxies in TRUST_PROXY', {
  ...BEHIND_PROXY, connectionsPerAddressMax: 1,
}, async ({ port }, t) => {
  await open(t, port);
  assert.equal(statusOf(await exchangeRaw(port, requestLine('/'))), 200);
});

/** Opens a connection that has received a response and stays open. */
async function open(t: TestContext, port: number) {
  const socket = await openSocket(t, port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}
