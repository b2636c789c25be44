import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** If `keepsSending` is false, the client closes its sending side after it has sent the bytes. */
export function exchangeRaw(
  port: number, bytes: string | Buffer, { keepsSending = true, timeoutMs = 0 } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => (keepsSending ? socket.write(bytes) : socket.end(bytes)));
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new Error(`No end of the answer to ${bytes.toString().slice(0, 80)}`));
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server can close the connection before it has read all bytes.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') {
        reject(error);
      }
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? NaN);
}

/** Reads nothing. The connection closes when the test ends. */
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
