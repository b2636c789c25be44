import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createHeldMemory } from '../../src/http/held-memory.ts';

function createHeld(sizeBytesMax: number) {
  const cut: [Socket, number][] = [];
  return { cut, held: createHeldMemory(sizeBytesMax, (socket, sizeBytes) => cut.push([socket, sizeBytes])) };
}

test('Up to the bound, no connection is closed', () => {
  const { cut, held } = createHeld(100);
  const [a, b] = [new Socket(), new Socket()];
  held.hold(a, 50);
  held.hold(b, 50);
  assert.deepEqual([cut, a.destroyed, b.destroyed], [[], false, false]);
});

test('Beyond the bound, only the connection that holds the most is closed', () => {
  const { cut, held } = createHeld(100);
  const [a, b, c] = [new Socket(), new Socket(), new Socket()];
  held.hold(a, 10);
  held.hold(b, 30);
  held.hold(b, 30);
  held.hold(c, 40);
  assert.deepEqual(cut, [[b, 60]]);
  assert.deepEqual([a, b, c].map(({ destroyed }) => destroyed), [false, true, false]);
  held.hold(c, 50);
  assert.equal(cut.length, 1);
});

test('Of connections that hold equal amounts, the one that has held it longest is closed', () => {
  const { cut, held } = createHeld(100);
  const [a, b, c] = [new Socket(), new Socket(), new Socket()];
  [a, b, c].forEach((socket) => held.hold(socket, 40));
  assert.deepEqual(cut, [[a, 40]]);
});

test('Released bytes make room, and so do the bytes of a closed connection', async () => {
  const { cut, held } = createHeld(100);
  const [a, b] = [new Socket(), new Socket()];
  held.hold(a, 90)();
  held.hold(b, 90);
  b.destroy();
  await new Promise((resolve) => b.once('close', resolve));
  const release = held.hold(b, 90);
  held.hold(a, 100);
  release();
  assert.deepEqual(cut, []);
  held.hold(a, 1);
  assert.deepEqual(cut, [[a, 101]]);
});
