/**
 * Writes replies to connections. Limits the memory of all connections together, because one client may open a
 * thousand connections.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_BYTES_MAX } from './body.ts';
import { toPlainAddress } from './client-address.ts';
import type { Log, Reply } from './message.ts';

/** How long a connection stays open after a response, if the client may still be sending. */
const LINGER_MS = 1_000;

/**
 * Node.js joins the header fields and a short text into one string. `send` itself encodes a long text.
 * Otherwise, Node.js would keep both the text and its bytes until the client has taken the bytes.
 */
const SHORT_LENGTH_MAX = 16_384;

export function send(
  response: ServerResponse, { status, headers, body }: Reply, hold: Hold, timeoutMs: number,
): void {
  const { req: request } = response;
  const { socket } = request;
  const isText = typeof body === 'string';
  const content = isText && body.length > SHORT_LENGTH_MAX ? Buffer.from(body) : body;
  const sizeBytes = Buffer.byteLength(content);
  // A text with as many bytes as characters is ASCII. Node.js writes ASCII faster as Latin-1 than as UTF-8.
  const encoding = sizeBytes === content.length ? 'latin1' : 'utf8';
  // The client may still send the rest of a long body. Node.js itself discards the rest of a short body. If
  // this response closes a paused connection, the client may still send further requests.
  const isBodyShort = Number(request.headers['content-length']) <= BODY_BYTES_MAX;
  const mayBeSending =
    (!request.complete && !isBodyShort) || (!response.shouldKeepAlive && socket.isPaused());
  response.shouldKeepAlive &&= !mayBeSending;
  const length = status !== 204 && status !== 304 && { 'Content-Length': sizeBytes };
  response.writeHead(status, { ...length, ...headers });
  const end = () => response.end();
  if (mayBeSending) {
    // If bytes arrive after the close, the kernel resets the connection, and the response may be lost.
    response.write(content, encoding);
    response.flushHeaders(); // sends the header fields even if there is no content
    setTimeout(end, LINGER_MS);
    if (!request.complete) {
      request.once('close', end).resume(); // discards the rest of the body
    }
  } else if (sizeBytes > SHORT_LENGTH_MAX) {
    // A shutdown closes connections with ended responses, so the response ends only after all bytes are sent.
    response.write(content, encoding, end);
  } else {
    response.end(content, encoding); // Node.js leaves out the content for HEAD, 204 and 304
  }
  if (response.writableLength > 0 || mayBeSending) { // usually false, because the kernel takes all bytes
    const heldBytes = isText ? response.writableLength : 0; // all clients share one copy of a file
    hold(socket, heldBytes);
    // Without this timer, a client could keep the response in memory for ever by reading a byte now and then.
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      hold(socket, -heldBytes);
    });
  }
}

/** Refuses bytes that are not a request. For these bytes, Node.js makes no `ServerResponse`. */
export function sendWithoutRequest(socket: Socket, { status, headers, body }: Reply): void {
  const { STATUS_CODES } = process.getBuiltinModule('node:http'); // listener.ts says why this is no `import`
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), 'Connection': 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body.toString()}`);
}

/** The maximum memory for unread responses and waiting requests: enough for three of the longest lists. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** @param sizeBytes - How much more memory the connection now holds; negative if it holds less. */
type Hold = (socket: Socket, sizeBytes: number) => void;

export function createHold(log: Log): Hold {
  const held = new Map<Socket, number>();
  let totalBytes = 0;
  const forget = (socket: Socket): void => {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  };
  return (newest, sizeBytes) => {
    if (newest.destroyed) {
      return;
    }
    if (!held.has(newest)) {
      newest.once('close', () => forget(newest));
    }
    held.set(newest, (held.get(newest) ?? 0) + sizeBytes);
    totalBytes += sizeBytes;
    if (totalBytes <= HELD_BYTES_MAX) {
      return;
    }
    // Keeps the newest connection, because a long response must not close its own connection.
    for (const [socket, bytes] of [...held].toSorted(([, left], [, right]) => right - left)) {
      if (totalBytes > HELD_BYTES_MAX && bytes > 0 && socket !== newest) {
        forget(socket);
        const address = toPlainAddress(socket.remoteAddress);
        log('warn', 'connection closed: the client did not read the response', { address, bytes });
        socket.destroy();
      }
    }
  };
}
