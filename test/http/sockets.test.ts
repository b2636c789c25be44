/** The connections of each owner; api/23-limits.test.ts has what clients see. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer as createSecureServer } from 'node:tls';
import { trackSockets } from '../../src/http/sockets.ts';
import { listen } from '../support/listen.ts';
import { openSocket, until } from '../support/open-socket.ts';

/** A server that greets accepted clients. The test chooses the owner of each connection. */
async function startServer(t: TestContext, connectionsPerAddressMax: number) {
  const owners: (string | undefined)[] = [];
  const full: string[] = [];
  const server = createServer((socket) => socket.destroyed || socket.write('hello'));
  const tracked = trackSockets(server, connectionsPerAddressMax, {
    ownerOf: () => owners.shift(),
    onFull: (owner) => full.push(owner),
  });
  const port = await listen(t, server);
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return {
    tracked,
    full,
    sockets,
    /** @returns True when the connection was accepted. */
    async open(owner?: string): Promise<boolean> {
      owners.push(owner);
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      return Promise.race([
        once(socket, 'data').then(() => true, () => false), once(socket, 'close').then(() => false),
      ]);
    },
  };
}

test('Each owner may have as many connections as the limit, independently of other owners', async (t) => {
  const { open } = await startServer(t, 2);
  const outcomes = [await open('a'), await open('a'), await open('a'), await open('b'), await open('a')];
  assert.deepEqual(outcomes, [true, true, false, true, false]);
});

test('An owner that has all its connections is reported once, however many are refused', async (t) => {
  const { open, full } = await startServer(t, 2);
  await open('a');
  assert.deepEqual(full, []);
  for (let index = 0; index < 5; index += 1) {
    await open('a');
  }
  assert.deepEqual(full, ['a']);
});

test('The open sockets are those that were accepted and are not closed', async (t) => {
  const { sockets, tracked, open } = await startServer(t, 1);
  assert.deepEqual([await open('a'), await open('a'), await open()], [true, false, true]);
  assert.equal(tracked.size, 2);
  sockets[0]?.destroy();
  await until(() => tracked.size === 1);
});

test('A TLS connection counts before its handshake, which may never end', async (t) => {
  const server = createSecureServer();
  const tracked = trackSockets(server, 1, {
    ownerOf: () => 'a', onFull: () => {},
  });
  const port = await listen(t, server);
  const silent = await openSocket(t, port);
  await until(() => tracked.size === 1);
  const refused = await openSocket(t, port);
  await once(refused, 'close');
  assert.deepEqual([tracked.size, silent.destroyed], [1, false]);
});
