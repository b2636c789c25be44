/** Writes a reply to the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from './body.ts';
import type { Reply } from './message.ts';

/** How long the connection stays open after the response to a client that is still sending its body. */
const LINGER_MS = 1_000;

/**
 * Up to this size, Node.js joins the header fields and the text to one string. For longer texts the copy
 * takes more time, and much more memory, than passing two strings to the kernel.
 */
const JOINED_BYTES_MAX = 16_384;

interface Sending {
  /** Close the connection after this reply. */
  readonly isLast: boolean;
  /** Counts bytes that the client has not taken. @returns A function to call when it has taken them. */
  readonly hold: (sizeBytes: number) => () => void;
}

export function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reply: Reply,
  { isLast, hold }: Sending,
): void {
  const isBodyUnread = !incoming.complete && !isShort(incoming);
  const sizeBytes = Buffer.byteLength(reply.body);
  outgoing.writeHead(reply.status, toFields(reply, { sizeBytes, isClosing: isBodyUnread || isLast }));
  // Text of as many bytes as characters is ASCII, which is cheaper to encode as Latin-1: 0.7 us for
  // 17 KB, 14 us as UTF-8.
  const encoding = sizeBytes === reply.body.length ? 'latin1' : 'utf8';
  if (isBodyUnread) {
    outgoing.write(reply.body, encoding);
    endAfterLingering(incoming, outgoing);
  } else {
    if (typeof reply.body === 'string' && sizeBytes > JOINED_BYTES_MAX) {
      outgoing.cork(); // until `end`
      outgoing.flushHeaders();
    }
    outgoing.end(reply.body, encoding); // Node.js leaves the body out for HEAD, 204 and 304
  }
  if (outgoing.writableLength > 0 && typeof reply.body === 'string') { // clients share the bytes of a file
    outgoing.once('close', hold(outgoing.writableLength));
  }
}

/** Lists names and values in turn, because Node.js writes this form without looking up each name. */
function toFields(
  { status, headers }: Reply,
  { sizeBytes, isClosing }: { sizeBytes: number; isClosing: boolean },
): string[] {
  const fields: string[] = [];
  for (const name in headers) {
    fields.push(name, headers[name] ?? '');
  }
  if (status !== 204 && status !== 304) {
    fields.push('Content-Length', String(sizeBytes));
  }
  if (isClosing) {
    fields.push('Connection', 'close');
  }
  return fields;
}

/** True when Node.js may drain the rest of the body and keep the connection. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined
    && Number(headers['content-length'] ?? 0) <= BODY_BYTES_MAX;
}

/**
 * Discards incoming bytes for a moment, and then closes the connection. If a connection is closed while bytes
 * are still arriving, the kernel resets it, and the client may lose a response that it has not read yet.
 */
function endAfterLingering(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once('close', end).resume();
}
