/** Writes a reply to the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from './body.ts';
import type { Hold } from './held-bytes.ts';
import type { Reply } from './message.ts';

/** How long the connection is kept after the last response to a client that may still be sending. */
const LINGER_MS = 1_000;

/**
 * Up to this length, Node.js joins the header fields and a text to one string, and encodes both. Longer texts
 * become bytes before: Node.js would keep the text and its bytes until the client has taken them.
 */
const SHORT_LENGTH_MAX = 16_384;

/**
 * Closes the connection after the response if `shouldKeepAlive` of the response is false.
 *
 * @param timeoutMs - For a client to read a response that does not fit into the buffers of the system.
 */
export function send(
  response: ServerResponse, { status, headers, body }: Reply, hold: Hold, timeoutMs: number,
): void {
  const { req: request } = response;
  const { socket } = request;
  const isText = typeof body === 'string';
  const content = isText && body.length > SHORT_LENGTH_MAX ? Buffer.from(body) : body;
  const sizeBytes = Buffer.byteLength(content);
  // A connection is paused while requests wait. Behind the last one, bytes may arrive that nobody reads.
  const mayBeSending = isLongBodyUnread(request) || (!response.shouldKeepAlive && socket.isPaused());
  response.shouldKeepAlive &&= !mayBeSending;
  response.writeHead(status, toFields(status, headers, sizeBytes));
  // Text of as many bytes as characters is ASCII, which is cheaper to encode as Latin-1.
  const encoding = sizeBytes === content.length ? 'latin1' : 'utf8';
  if (mayBeSending) {
    response.write(content, encoding);
    response.flushHeaders(); // without them, if the response has no content
    endAfterLingering(response);
  } else if (sizeBytes > SHORT_LENGTH_MAX) {
    // Node.js counts a connection as idle when its response has ended, and a shutdown closes idle ones.
    response.write(content, encoding, () => response.end());
  } else {
    response.end(content, encoding); // Node.js leaves the content out for HEAD, 204 and 304
  }
  if (response.writableLength > 0 || mayBeSending) { // usually the kernel has taken everything
    const heldBytes = isText ? response.writableLength : 0; // clients share files
    hold(socket, heldBytes);
    // A client that reads a byte now and then is never idle, so the response would stay in memory.
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      hold(socket, -heldBytes);
    });
  }
}

/** Lists names and values in turn, because Node.js writes this form without looking up each name. */
function toFields(status: number, headers: Reply['headers'], sizeBytes: number): string[] {
  const fields: string[] = [];
  for (const name in headers) {
    fields.push(name, headers[name] ?? '');
  }
  if (status !== 204 && status !== 304) {
    fields.push('Content-Length', String(sizeBytes));
  }
  return fields;
}

/** False when Node.js may drain the rest of the body and keep the connection. */
function isLongBodyUnread({ complete, headers }: IncomingMessage): boolean {
  const isLong = headers['transfer-encoding'] !== undefined
    || Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX;
  return !complete && isLong;
}

/**
 * Discards the rest of the body for a moment, and then closes the connection. If a connection is closed while
 * bytes are still arriving, the kernel resets it, and the client may lose a response that it has not read
 * yet.
 */
function endAfterLingering(response: ServerResponse): void {
  setTimeout(() => response.end(), LINGER_MS);
  if (!response.req.complete) {
    response.req.once('close', () => response.end()).resume();
  }
}
