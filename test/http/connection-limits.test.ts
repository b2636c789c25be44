import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer as createSecureServer } from 'node:tls';
import { trackSockets } from '../../src/http/listener.ts';
import { starting } from '../support/each.ts';
import { listen } from '../support/listen.ts';
import { CLOSE, FIELDS, get, MIB, startListener } from '../support/listener.ts';
import { openSocket } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

test('A TLS connection counts before its handshake, which may never end', async (t) => {
  const server = createSecureServer();
  const tracked = trackSockets(server, 1, { isTrustedProxy: undefined, log: () => {} });
  const port = await listen(t, server);
  const silent = await openSocket(t, port);
  await until(() => tracked.size === 1);
  await once(await openSocket(t, port), 'close');
  assert.deepEqual([tracked.size, silent.destroyed], [1, false]);
});

const serving = starting(startListener);

type Listener = Awaited<ReturnType<typeof startListener>>;

/** Sends one request on each connection. Opens the next connection when this request is answered. */
async function openInTurn(
  t: TestContext, { port, answered }: Listener, targets: readonly string[], fields = CLOSE,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const target of targets) {
    sockets.push(await openSocket(t, port, get(target, fields)));
    await until(() => answered.length === sockets.length);
  }
  return sockets;
}

/** @returns The number of bytes that arrived before the server closed the connection. */
async function drain(socket: Socket): Promise<number> {
  let sizeBytes = 0;
  socket.on('data', (chunk: Buffer) => { sizeBytes += chunk.length; });
  await once(socket.resume(), 'close');
  return sizeBytes;
}

serving.each('{0} are kept until their clients read them', [
  ['Unread responses of up to 32 MiB together', ['/text/15', '/text/15']],
  // All clients share one copy of a file in memory.
  ['Unread files of any size', Array<string>(5).fill('/file/10')],
], async (listener, [, targets], t) => {
  const read = await Promise.all((await openInTurn(t, listener, targets)).map(drain));
  assert.ok(read.every((sizeBytes) => sizeBytes > 10 * MIB));
  assert.deepEqual(listener.cut, []);
});

serving.each('Beyond 32 MiB, {0}', [
  ['the connection holding most is closed, or the older of two', [9, 12, 12], [true, false, true]],
  ['as many connections are closed as a long response needs', [6, 6, 6, 6, 6, 9],
    [false, false, true, true, true, true]],
], async (listener, [, sizes, areRead]: [string, number[], boolean[]], t) => {
  const sockets = await openInTurn(t, listener, sizes.map((mib) => `/text/${mib}`));
  const cut = sizes.filter((_, index) => !areRead[index]);
  assert.deepEqual(listener.cut.map((sizeBytes) => Math.round(sizeBytes / MIB)), cut);
  const read = await Promise.all(sockets.map(drain));
  assert.deepEqual(read.map((sizeBytes, index) => sizeBytes > Number(sizes[index]) * MIB), areRead);
});

serving('Only unread responses and waiting requests count', async (listener, t) => {
  // On the second connection, all responses are read, and all requests finish. If these responses or requests
  // still counted towards the limit, the server would close one of the two connections.
  await openInTurn(t, listener, ['/text/8']);
  const socket = await openSocket(t, listener.port);
  const chunked = `POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${FIELDS}0\r\n\r\n`;
  let sizeBytes = 0;
  socket.on('data', (chunk: Buffer) => { sizeBytes += chunk.length; });
  for (let count = 1; count <= 3; count += 1) {
    socket.write(get('/a') + chunked.repeat(4) + get('/text/20'));
    await until(() => sizeBytes > 20 * count * MIB);
  }
  assert.deepEqual(listener.cut, []);
});

serving('Text beyond ASCII counts with its bytes', async (listener, t) => {
  await openInTurn(t, listener, ['/a', '/a', '/a'], FIELDS);
  assert.equal(listener.cut.length, 1);
  assert.ok(listener.cut.every((sizeBytes) => sizeBytes >= 12 * MIB));
}, { reply: { body: '\u{1F600}'.repeat(3 * MIB) } }); // 12 MiB in UTF-8

serving('Waiting requests count, and so do requests of a packet that get no response', async (world, t) => {
  const { port, cut, begun } = world;
  let count = 0;
  while (cut.length === 0) { // one packet contains thousands of requests
    await openSocket(t, port, get('/wait') + get('/').repeat(2_000));
    count += 1;
    await until(() => begun.length === count || cut.length > 0);
    assert.ok(count < 20, 'none is closed');
  }
  assert.ok(count > 3, `${count}`);
});
