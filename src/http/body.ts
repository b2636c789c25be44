/** Receives a request body within a limit. */
import type { IncomingMessage } from 'node:http';

/**
 * The most bytes that any operation accepts: room for the longest texts of a project, with each character as
 * a pair of escapes (12 bytes). A short body limits the time that an old version of Node.js
 * needs for JSON with colliding names, which grows with the square of the length.
 */
export const BODY_BYTES_MAX = 32_768;

type ReceivedBody =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

interface BodyReception {
  readonly received: Promise<ReceivedBody>;
  /**
   * True while bytes are missing, and until the end of a body without `Content-Length`. Node.js sets
   * `complete` later than this, even if the whole body came in the packet of the header fields.
   */
  readonly isOnItsWay: () => boolean;
}

/**
 * Call this as soon as the limit is known, even if the body is needed later. Each chunk that waits in a
 * stream takes a hundred bytes besides its content, and a client may send one-byte chunks.
 *
 * @param sizeBytesMax - At most this much is kept. A longer `Content-Length` is refused without reading.
 */
export function receiveBody(incoming: IncomingMessage, sizeBytesMax: number): BodyReception {
  const announced = incoming.headers['content-length'];
  let sizeBytes = 0;
  const isOnItsWay = () => !incoming.complete && sizeBytes !== Number(announced);
  const settled = (outcome: ReceivedBody) => ({ received: Promise.resolve(outcome), isOnItsWay });
  if (Number(announced ?? 0) > sizeBytesMax) {
    return settled({ kind: 'too-large' });
  }
  if (!hasBody(incoming)) {
    return settled({ kind: 'received', bytes: EMPTY });
  }
  if (incoming.destroyed) {
    // The client left while its credentials were checked; no event would follow.
    return settled({ kind: 'aborted' });
  }
  const received = new Promise<ReceivedBody>((resolve) => {
    let buffer: Buffer = EMPTY;
    incoming.on('data', (chunk: Buffer) => {
      const offset = sizeBytes;
      sizeBytes += chunk.length;
      if (sizeBytes > sizeBytesMax) {
        buffer = EMPTY;
        resolve({ kind: 'too-large' });
      } else {
        buffer = ensureCapacity(buffer, sizeBytes);
        chunk.copy(buffer, offset);
      }
    });
    incoming.on('end', () => resolve({ kind: 'received', bytes: buffer.subarray(0, sizeBytes) }));
    incoming.on('error', () => resolve({ kind: 'aborted' })); // the client went away, or was too slow
    incoming.on('close', () => resolve({ kind: 'aborted' })); // no effect after `end`
  });
  return { received, isOnItsWay };
}

/** False when the request certainly has no content (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const EMPTY = Buffer.alloc(0);

/** Doubles the buffer, so that a body of many chunks is copied only a few times. */
function ensureCapacity(buffer: Buffer, sizeBytes: number): Buffer {
  if (sizeBytes <= buffer.length) {
    return buffer;
  }
  const larger = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * buffer.length));
  buffer.copy(larger);
  return larger;
}
