import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

/** Connects and sends the bytes. The connection closes when the test ends. */
export async function openSocket(
  t: TestContext, port: number, bytes = '', localAddress = '127.0.0.1',
): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await setImmediate();
  }
}
