/** Writes a reply to the wire, in one piece. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './exchange.ts';

/** How long a client that is still sending may go on after the answer, so that it gets to read it. */
const LINGER_MS = 1_000;

interface Sending {
  /** A body that is not read to its end and may be longer than this closes the connection. */
  readonly bodyBytesMax: number;
  /** The connection is to end with this answer. */
  readonly isLast: boolean;
}

export function send(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply, { bodyBytesMax, isLast }: Sending): void {
  const isCut = !incoming.complete && !isShort(incoming, bodyBytesMax);
  const sizeBytes = Buffer.byteLength(reply.body);
  outgoing.writeHead(reply.status, toFields(reply, { sizeBytes, isClosing: isCut || isLast }));
  // Text of as many bytes as characters is ASCII, which is cheaper to encode as Latin-1: 0.7 us for 17 KB, 14 us as UTF-8.
  const encoding = sizeBytes === reply.body.length ? 'latin1' : 'utf8';
  if (isCut) {
    outgoing.write(reply.body, encoding);
    endAfterLingering(incoming, outgoing);
  } else {
    outgoing.end(reply.body, encoding); // Node.js leaves the body out for HEAD, 204 and 304
  }
}

/** Names and values in turn, which Node.js writes as they are, without a look at each name. */
function toFields({ status, headers }: Reply, { sizeBytes, isClosing }: { sizeBytes: number; isClosing: boolean }): string[] {
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

/** True when Node.js may read the rest of the body away and keep the connection. */
function isShort({ headers }: IncomingMessage, sizeBytesMax: number): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= sizeBytesMax;
}

/**
 * Closing a connection on which bytes are still arriving makes the kernel reset it, and the client may lose the answer
 * that it has not read yet. So the rest is read and thrown away for a moment first.
 */
function endAfterLingering(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once('close', end).resume();
}
