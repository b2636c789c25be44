/** Tests the limit on memory for responses that clients do not read, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { CLOSE, get, MIB, startListener } from '../support/listener.ts';
import { openSocket, until } from '../support/open-socket.ts';

/** Opens a connection and sends the bytes. The connection reads nothing until the test resumes it. */
async function openUnreading(t: TestContext, port: number, bytes: string): Promise<Socket> {
  const socket = await openSocket(t, port);
  socket.pause().write(bytes);
  return socket;
}

/** Reads until the server closes the connection. @returns The number of bytes that arrived. */
async function drain(socket: Socket): Promise<number> {
  let sizeBytes = 0;
  socket.on('data', (chunk: Buffer) => { sizeBytes += chunk.length; });
  await once(socket.resume(), 'close');
  return sizeBytes;
}

test('Unread responses of up to 32 MiB together are kept until their clients read them', async (t) => {
  const { port, cut, answered } = await startListener(t);
  const one = await openUnreading(t, port, get('/text/15', CLOSE));
  const two = await openUnreading(t, port, get('/text/15', CLOSE));
  await until(() => answered.length === 2);
  assert.ok(await drain(one) > 15 * MIB && await drain(two) > 15 * MIB);
  assert.deepEqual(cut, []);
});

test('Beyond 32 MiB, the connection that holds the most is closed, of equal ones the oldest', async (t) => {
  const { port, cut, answered } = await startListener(t);
  const sockets = [];
  for (const mib of [9, 12, 12]) {
    sockets.push(await openUnreading(t, port, get(`/text/${mib}`, CLOSE)));
    await until(() => answered.length === sockets.length);
  }
  assert.equal(cut.length, 1); // the server cut this connection when it sent the last response
  const read = await Promise.all(sockets.map(drain));
  assert.deepEqual(read.map((sizeBytes) => sizeBytes >= 9 * MIB), [true, false, true]);
  assert.ok(cut.every((sizeBytes) => sizeBytes > 11 * MIB && sizeBytes < 13 * MIB));
});

test('A long response begins however many shorter ones are unread', async (t) => {
  const { port, cut, answered } = await startListener(t);
  for (let count = 1; count <= 5; count += 1) {
    await openUnreading(t, port, get('/text/6'));
    await until(() => answered.length === count);
  }
  const long = await openUnreading(t, port, get('/text/9', CLOSE));
  await until(() => cut.length === 2);
  assert.ok(await drain(long) > 9 * MIB);
  assert.equal(cut.length, 2);
});

test('A response counts until its client has read it', async (t) => {
  const { port, cut, answered } = await startListener(t);
  for (let count = 1; count <= 3; count += 1) {
    const socket = await openUnreading(t, port, get('/text/20', CLOSE));
    await until(() => answered.length === count);
    assert.ok(await drain(socket) > 20 * MIB);
  }
  assert.deepEqual(cut, []);
});

test('Text beyond ASCII counts with its bytes', async (t) => {
  const { port, cut, answered } = await startListener(t, { reply: { body: '\u{1F600}'.repeat(3 * MIB) } });
  await openUnreading(t, port, get('/a')); // the response has 12 MiB in UTF-8
  await openUnreading(t, port, get('/a'));
  await openUnreading(t, port, get('/a'));
  await until(() => answered.length === 3);
  assert.equal(cut.length, 1);
  assert.ok(cut.every((sizeBytes) => sizeBytes >= 12 * MIB));
});

test('Files do not count, because all clients share their bytes', async (t) => {
  const { port, cut, answered } = await startListener(t);
  const sockets = [];
  for (let count = 1; count <= 5; count += 1) {
    sockets.push(await openUnreading(t, port, get('/file/10', CLOSE)));
    await until(() => answered.length === count);
  }
  assert.ok((await Promise.all(sockets.map(drain))).every((sizeBytes) => sizeBytes > 10 * MIB));
  assert.deepEqual(cut, []);
});

test('Requests that wait count, and those of a packet that will not be answered', async (t) => {
  const { port, cut, begun } = await startListener(t);
  let count = 0;
  while (cut.length === 0) { // one packet holds some thousand requests
    await openUnreading(t, port, get('/wait') + get('/').repeat(2_000));
    count += 1;
    await until(() => begun.length === count || cut.length > 0);
    assert.ok(count < 20, 'none is closed');
  }
  assert.ok(count > 3, `${count}`);
});
