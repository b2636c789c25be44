/** Receives a request body up to a limit, and decides whether a body is JSON. */
import type { IncomingMessage } from 'node:http';

/**
 * The maximum size of a body in any operation. The JSON of the largest possible project fits, even if each
 * character is written as two escapes (12 bytes). If hashes of member names collide (hash flooding), old
 * versions of Node.js take quadratic time to parse JSON. For a body of this size, even quadratic time is
 * short.
 */
export const BODY_BYTES_MAX = 32_768;

/** True if the header fields announce content (RFC 9112 §6.3). Chunked content can still be empty. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export type ReceivedBody = Buffer | 'too-large' | 'aborted';

/** Copies a body into one buffer. Otherwise, even a chunk of one byte would take 100 extra bytes. */
export async function receiveBody(incoming: IncomingMessage, bytesMax: number): Promise<ReceivedBody> {
  if (!hasBody(incoming)) {
    return Buffer.alloc(0);
  }
  const expectedBytes = Number(incoming.headers['content-length'] ?? bytesMax);
  if (expectedBytes > bytesMax) {
    return 'too-large';
  }
  if (incoming.destroyed) {
    return 'aborted'; // the client is gone, so the stream has no further events
  }
  const buffer = Buffer.allocUnsafe(expectedBytes);
  let sizeBytes = 0;
  return new Promise((resolve) => { // only the first call of `resolve` has an effect
    incoming.on('data', (chunk: Buffer) => {
      if (sizeBytes + chunk.length > expectedBytes) {
        resolve('too-large');
      }
      sizeBytes += chunk.copy(buffer, sizeBytes);
    });
    incoming.on('end', () => resolve(buffer.subarray(0, sizeBytes)));
    incoming.on('error', () => resolve('aborted')).on('close', () => resolve('aborted'));
  });
}

/** True for `application/json` and for types with the suffix `+json` (RFC 6839 §3.1). */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
