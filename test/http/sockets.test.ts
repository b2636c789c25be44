/** Tests the limit on connections of each network. api/23-limits.test.ts tests the effect on clients. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer as createSecureServer } from 'node:tls';
import { trackSockets } from '../../src/http/connection-limits.ts';
import { listen } from '../support/listen.ts';
import { openSocket, until } from '../support/open-socket.ts';

const PROXY = '127.0.0.9';

/** Starts a server that greets accepted clients. */
async function startServer(t: TestContext, perNetworkMax: number) {
  const full: string[] = [];
  const server = createServer((socket) => socket.destroyed || socket.write('hello'));
  const tracked = trackSockets(server, {
    perNetworkMax, isTrusted: (address) => address === PROXY, onFull: (network) => full.push(network),
  });
  const port = await listen(t, server);
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return {
    tracked,
    full,
    sockets,
    /** @returns True if the server accepted the connection from this local address. */
    async open(localAddress: string): Promise<boolean> {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      return Promise.race([
        once(socket, 'data').then(() => true, () => false), once(socket, 'close').then(() => false),
      ]);
    },
  };
}

test('Each network may have as many connections as the limit, and a proxy any number', async (t) => {
  const { open } = await startServer(t, 2);
  for (const [address, isAccepted] of [
    ['127.0.0.2', true], ['127.0.0.2', true], ['127.0.0.2', false], ['127.0.0.3', true], ['127.0.0.2', false],
    [PROXY, true], [PROXY, true], [PROXY, true],
  ] as const) {
    assert.equal(await open(address), isAccepted, address);
  }
});

test('A network that has all its connections is reported once, however many are refused', async (t) => {
  const { open, full } = await startServer(t, 2);
  await open('127.0.0.2');
  assert.deepEqual(full, []);
  for (let index = 0; index < 5; index += 1) {
    await open('127.0.0.2');
  }
  assert.deepEqual(full, ['127.0.0.2']);
});

test('The open sockets are those that were accepted and are not closed', async (t) => {
  const { sockets, tracked, open } = await startServer(t, 1);
  assert.deepEqual(
    [await open('127.0.0.2'), await open('127.0.0.2'), await open(PROXY)], [true, false, true],
  );
  assert.equal(tracked.size, 2);
  sockets[0]?.destroy();
  await until(() => tracked.size === 1);
});

test('A TLS connection counts before its handshake, which may never end', async (t) => {
  const server = createSecureServer();
  const tracked = trackSockets(server, { perNetworkMax: 1, isTrusted: undefined, onFull: () => {} });
  const port = await listen(t, server);
  const silent = await openSocket(t, port);
  await until(() => tracked.size === 1);
  const refused = await openSocket(t, port);
  await once(refused, 'close');
  assert.deepEqual([tracked.size, silent.destroyed], [1, false]);
});
