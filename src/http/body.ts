/** Receives a request body within a limit. */
import type { IncomingMessage } from 'node:http';
import { hasBody } from './framing.ts';

/**
 * The most bytes that any operation accepts: room for the longest texts of a project, even if each character
 * is written as two escapes (12 bytes). A short body limits the time that an old version of Node.js needs for
 * JSON with colliding names, which grows with the square of the length.
 */
export const BODY_BYTES_MAX = 32_768;

/** The bytes, or why there are none. */
export type ReceivedBody = Buffer | 'too-large' | 'aborted';

/**
 * Call this as soon as the limit is known. Each chunk that waits in a stream takes a hundred bytes besides
 * its content, and a client may send one-byte chunks. So one buffer is reserved for all.
 *
 * @param bytesMax - At most this much is kept. A longer `Content-Length` is refused without reading.
 */
export async function receiveBody(incoming: IncomingMessage, bytesMax: number): Promise<ReceivedBody> {
  const expectedBytes = hasBody(incoming) ? Number(incoming.headers['content-length'] ?? bytesMax) : 0;
  if (expectedBytes > bytesMax) {
    return 'too-large';
  }
  if (expectedBytes > 0 && incoming.destroyed) {
    return 'aborted'; // the client left before its request began; no event would follow
  }
  const buffer = Buffer.allocUnsafe(expectedBytes);
  let sizeBytes = 0;
  return expectedBytes === 0 ? buffer : new Promise((resolve) => {
    incoming.on('data', (chunk: Buffer) => {
      if (sizeBytes + chunk.length > expectedBytes) {
        resolve('too-large');
      }
      sizeBytes += chunk.copy(buffer, sizeBytes);
    });
    incoming.on('end', () => resolve(buffer.subarray(0, sizeBytes)));
    incoming.on('error', () => resolve('aborted')); // the client went away, or was too slow
    incoming.on('close', () => resolve('aborted')); // no effect after `end`
  });
}
