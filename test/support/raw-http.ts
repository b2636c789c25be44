/** Exact bytes to a port, and everything that comes back until the server closes. */
import { connect } from 'node:net';

/** Long enough for a slow machine; a test that waits this long has failed. */
const TIMEOUT_MS = 10_000;

/** @param bytes - What is sent; the connection stays open for the answer. */
export function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`No end of the answer to ${bytes.toString().slice(0, 80)}`)));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') { // the server may close before everything is sent
        reject(error);
      }
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** The status code of a raw answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? NaN);
}
