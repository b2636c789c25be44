/**
 * The limits of requests and connections: the last accepted value, the first refused value, and the
 * behaviour after a refusal.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

const END = 'Host: x\r\nConnection: close\r\n\r\n';

for (const [length, status] of [[64, 404], [65, 414]] as const) {
  for (const [what, target] of [
    ['path', `/${'a'.repeat(length - 1)}`],
    ['path and query', `/nowhere?x=${'a'.repeat(length - '/nowhere?x='.length)}`],
  ] as const) {
    test(`With a limit of 64 bytes, a ${what} of ${length} bytes is ${status}`, async (t) => {
      const { port } = await startService(t, { targetBytesMax: 64 });
      const answer = await exchangeRaw(port, `GET ${target} HTTP/1.1\r\n${END}`);
      assert.equal(statusOf(answer), status);
      assert.match(answer, status === 414 ? /target-too-long/ : /not-found/);
    });
  }
}

test('a URL of 20,000 bytes is 414, and so many bytes of fields are 431', async (t) => {
  const { port } = await startService(t);
  assert.equal(statusOf(await exchangeRaw(port, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${END}`)), 414);
  assert.equal(
    statusOf(await exchangeRaw(port, `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n${END}`)), 431,
  );
});

for (const [length, status] of [[3_500, 200], [4_500, 431]] as const) {
  test(`With a limit of 4096 bytes for header fields, a field of ${length} bytes is ${status}`, async (t) => {
    const { port } = await startService(t, { headerBytesMax: 4_096 });
    const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\nA: ${'a'.repeat(length)}\r\n${END}`);
    assert.equal(statusOf(answer), status);
  });
}

for (const [count, status] of [[5, 200], [6, 431]] as const) {
  test(`With a limit of 5 header fields, ${count} fields are ${status}`, async (t) => {
    const { port } = await startService(t, { headerFieldsMax: 5 });
    const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(count - 2)}${END}`);
    assert.equal(statusOf(answer), status);
  });
}

test('with 2 connections per address, a third one is closed unread until one closes', async (t) => {
  const service = await startService(t, { connectionsPerAddressMax: 2 });
  const [first] = [await open(t, service.port), await open(t, service.port)];
  assert.equal(await exchangeRaw(service.port, `GET / HTTP/1.1\r\n${END}`), '');
  assert.ok(
    service.logLines.some((line) => line.includes('"no more connections accepted","address":"127.0.0.1"')),
  );
  first?.end();
  let answer = '';
  while (answer === '') {
    answer = await exchangeRaw(service.port, `GET / HTTP/1.1\r\n${END}`);
  }
  assert.equal(statusOf(answer), 200);
});

test('the limit of connections per address does not apply to proxies in TRUST_PROXY', async (t) => {
  const { port } = await startService(t, {
    connectionsPerAddressMax: 1, trustedProxies: parseTrustedProxies('127.0.0.0/8'),
  });
  await open(t, port);
  assert.equal(statusOf(await exchangeRaw(port, `GET / HTTP/1.1\r\n${END}`)), 200);
});

/** Opens a connection that has received a response and stays open. */
async function open(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}
