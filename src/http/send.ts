/** Writes a reply to the wire, in one piece. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './exchange.ts';

/** How long a client that is still sending may go on after the answer, so that it gets to read it. */
const LINGER_MS = 1_000;

/** @param sizeBytesMax - A body that is not read to its end and may be longer than this closes the connection. */
export function send(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply, sizeBytesMax: number): void {
  const isClosing = !incoming.complete && !isShort(incoming, sizeBytesMax);
  const headers: Record<string, string> = { ...reply.headers };
  if (reply.status !== 204 && reply.status !== 304) {
    headers['Content-Length'] = String(Buffer.byteLength(reply.body));
  }
  if (isClosing) {
    headers['Connection'] = 'close';
  }
  outgoing.writeHead(reply.status, headers);
  if (isClosing) {
    endAfterLingering(incoming, outgoing, reply.body);
  } else {
    outgoing.end(reply.body); // Node.js leaves the body out for HEAD, 204 and 304
  }
}

/** True when Node.js may read the rest of the body away and keep the connection. */
function isShort({ headers }: IncomingMessage, sizeBytesMax: number): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= sizeBytesMax;
}

/**
 * Closing a connection on which bytes are still arriving makes the kernel reset it, and the client may lose the answer
 * that it has not read yet. So the rest is read and thrown away for a moment first.
 */
function endAfterLingering(incoming: IncomingMessage, outgoing: ServerResponse, body: string | Buffer): void {
  outgoing.write(body);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once('close', end).resume();
}
