/** Receives a request body within a limit. */
import type { IncomingMessage } from 'node:http';
import { hasBody } from './framing.ts';

/**
 * The longest body that an operation accepts. The longest texts of a project fit, even if each character is
 * written as two escapes (12 bytes). The bound limits hash flooding, too: old versions of Node.js take
 * quadratic time to parse JSON whose names collide.
 */
export const BODY_BYTES_MAX = 32_768;

/** The bytes, or the reason why there are none. */
export type ReceivedBody = Buffer | 'too-large' | 'aborted';

/**
 * Call this function as soon as the limit is known. Before the call, the stream keeps the chunks, each with a
 * hundred bytes of overhead, and a client may send chunks of one byte. This function copies all chunks into
 * one buffer.
 *
 * @param bytesMax - The most bytes to keep. A longer `Content-Length` is refused before the body is read.
 */
export async function receiveBody(incoming: IncomingMessage, bytesMax: number): Promise<ReceivedBody> {
  const expectedBytes = hasBody(incoming) ? Number(incoming.headers['content-length'] ?? bytesMax) : 0;
  if (expectedBytes > bytesMax) {
    return 'too-large';
  }
  if (expectedBytes > 0 && incoming.destroyed) {
    return 'aborted'; // the client left while its request waited; no event will follow
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
    // The client left, or was too slow. After `end`, a second `resolve` has no effect.
    incoming.on('error', () => resolve('aborted')).on('close', () => resolve('aborted'));
  });
}
