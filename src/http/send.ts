/** Writes a reply to the connection. */
import type { ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from './body.ts';
import type { Hold } from './held-bytes.ts';
import type { Reply } from './message.ts';

/** How long the connection is kept after the last response to a client that may still be sending. */
const LINGER_MS = 1_000;

/**
 * Up to this length, Node.js joins the header fields and a text to one string. Longer texts become bytes
 * before: Node.js would keep the text and its bytes until the client has taken them.
 */
const SHORT_LENGTH_MAX = 16_384;

/** Closes the connection after the response if `shouldKeepAlive` of the response is false. */
export function send(
  response: ServerResponse, { status, headers, body }: Reply, hold: Hold, timeoutMs: number,
): void {
  const { req: request } = response;
  const { socket } = request;
  const isText = typeof body === 'string';
  const content = isText && body.length > SHORT_LENGTH_MAX ? Buffer.from(body) : body;
  const sizeBytes = Buffer.byteLength(content);
  // Text of as many bytes as characters is ASCII, which is cheaper to encode as Latin-1.
  const encoding = sizeBytes === content.length ? 'latin1' : 'utf8';
  // Node.js drains the rest of a short body. A client may send more after the last request that is read.
  const isBodyShort = Number(request.headers['content-length']) <= BODY_BYTES_MAX;
  const mayBeSending =
    (!request.complete && !isBodyShort) || (!response.shouldKeepAlive && socket.isPaused());
  response.shouldKeepAlive &&= !mayBeSending;
  // Names and values in turn: Node.js writes this form without looking up each name.
  const fields = status === 204 || status === 304 ? [] : ['Content-Length', String(sizeBytes)];
  for (const name in headers) {
    fields.push(name, headers[name] ?? '');
  }
  response.writeHead(status, fields);
  const end = () => response.end();
  if (mayBeSending) {
    // If a connection is closed while bytes arrive, the kernel resets it, and the client may lose a response
    // that it has not read yet. So the rest of the body is discarded for a moment.
    response.write(content, encoding);
    response.flushHeaders(); // without them, if the response has no content
    setTimeout(end, LINGER_MS);
    if (!request.complete) {
      request.once('close', end).resume();
    }
  } else if (sizeBytes > SHORT_LENGTH_MAX) {
    // Node.js counts a connection as idle when its response has ended, and a shutdown closes idle ones.
    response.write(content, encoding, end);
  } else {
    response.end(content, encoding); // Node.js leaves the content out for HEAD, 204 and 304
  }
  if (response.writableLength > 0 || mayBeSending) { // usually the kernel has taken everything
    const heldBytes = isText ? response.writableLength : 0; // all clients share the bytes of a file
    hold(socket, heldBytes);
    // A client that reads a byte now and then is never idle, so the response would stay in memory.
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      hold(socket, -heldBytes);
    });
  }
}
