import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createConnections } from '../../src/http/connections.ts';

function create(heldBytesMax: number) {
  const cut: [Socket, number][] = [];
  const connections = createConnections(heldBytesMax, (socket, sizeBytes) => cut.push([socket, sizeBytes]));
  return {
    cut,
    connections,
    open(): Socket {
      const socket = new Socket();
      connections.open(socket);
      return socket;
    },
  };
}

test('Up to the bound, no connection is closed', () => {
  const { cut, connections, open } = create(100);
  const [a, b] = [open(), open()];
  connections.hold(a, 50);
  connections.hold(b, 50);
  assert.deepEqual([cut, a.destroyed, b.destroyed], [[], false, false]);
});

test('Beyond the bound, only the connection that holds the most is closed', () => {
  const { cut, connections, open } = create(100);
  const [a, b, c] = [open(), open(), open()];
  connections.hold(a, 10);
  connections.hold(b, 30);
  connections.hold(b, 30);
  connections.hold(c, 40);
  assert.deepEqual(cut, [[b, 60]]);
  assert.deepEqual([a, b, c].map(({ destroyed }) => destroyed), [false, true, false]);
  connections.hold(c, 50);
  assert.equal(cut.length, 1);
});

test('Of connections that hold equal amounts, the oldest is closed', () => {
  const { cut, connections, open } = create(100);
  const [a, b, c] = [open(), open(), open()];
  [a, b, c].forEach((socket) => connections.hold(socket, 40));
  assert.deepEqual(cut, [[a, 40]]);
});

test('Released bytes make room, and so do the bytes of a closed connection', async () => {
  const { cut, connections, open } = create(100);
  const [a, b] = [open(), open()];
  connections.hold(a, 90)();
  connections.hold(b, 90);
  b.destroy();
  await new Promise((resolve) => b.once('close', resolve));
  const release = connections.hold(b, 90);
  connections.hold(a, 100);
  release();
  assert.deepEqual(cut, []);
  connections.hold(a, 1);
  assert.deepEqual(cut, [[a, 101]]);
});

test('A closed connection has no record', async () => {
  const { connections, open } = create(100);
  const socket = open();
  assert.equal(connections.find(socket)?.heldBytes, 0);
  socket.destroy();
  await new Promise((resolve) => socket.once('close', resolve));
  assert.equal(connections.find(socket), undefined);
});
