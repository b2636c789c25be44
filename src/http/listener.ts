/**
 * The `node:http` server with its limits and deadlines. Requests that Node.js would refuse get the same form
 * of response as all others.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { peerOf } from './client-address.ts';
import type { FramingLimits } from './framing.ts';
import { createHold } from './held-bytes.ts';
import type { Reply } from './message.ts';
import { createSecureServer, createServer, STATUS_CODES } from './node-http.ts';
import { createPipeline } from './pipeline.ts';
import { send } from './send.ts';
import type { TlsOptions } from './tls.ts';

export const LISTENER_LIMITS = {
  /** The request line and the header fields together, as in Node.js. */
  headerBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  /** The time for a whole request to arrive: 32 KiB at 1.6 KB/s. */
  requestTimeoutMs: 20_000,
  /** How often the two deadlines above are checked. */
  timeoutCheckIntervalMs: 2_000,
  /**
   * The time that a connection is kept for the next request. Longer than the 60 seconds after which many
   * proxies close an idle connection: a client must not send on a connection that this side closes.
   */
  keepAliveTimeoutMs: 65_000,
  /** A connection without traffic for this long is closed, even while a response waits to be read. */
  idleTimeoutMs: 30_000,
  /** The longest time for a client to read a response that does not fit into the buffers of the system. */
  responseTimeoutMs: 60_000,
};

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface ListenerHandlers {
  /** @param arrivedAtMs - When the request arrived or, if it waited, its turn came: `performance.now()`. */
  answer(incoming: IncomingMessage, arrivedAtMs: number): Promise<Reply>;
  /** Makes the reply to bytes that are no valid request. @param peer - The other end of the connection. */
  refuseUnread(status: RefusalStatus, peer: string): Reply;
  /** True during shutdown, when each reply should be the last of its connection. */
  isEnding(): boolean;
  /** Called before a connection is closed because slow readers occupy too much memory. */
  onCut(peer: string, sizeBytes: number): void;
}

/** @param tls - Absent for plain HTTP. */
export function createListener(
  limits: typeof LISTENER_LIMITS & FramingLimits, handlers: ListenerHandlers, tls?: TlsOptions,
): Server {
  const { answer, refuseUnread, isEnding, onCut } = handlers;
  const hold = createHold((socket, sizeBytes) => onCut(peerOf(socket), sizeBytes));
  const pipeline = createPipeline(hold, start, refuse);
  const options = {
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    requireHostHeader: false, // framing.ts checks it, so that the response has our form
  };
  const server = tls === undefined
    ? createServer(options)
    : createSecureServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout });
  server.timeout = limits.idleTimeoutMs;
  // A client that has sent everything may close its side and still read. Missing in the types of Node.js.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node.js drops further fields while they arrive. One more than framing.ts accepts, so that it sees them.
  server.maxHeadersCount = limits.headerFieldsMax + 1;
  server.on('request', pipeline.receive);
  server.on('checkExpectation', pipeline.receive); // framing.ts refuses the expectation
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Other errors get no response: the connection is broken, or its TLS handshake has not finished.
    if (/^(HPE_|ERR_HTTP_)/.test(error.code ?? '')) {
      pipeline.fail(error, socket as Socket); // on a port, every connection is a `Socket`
    } else {
      socket.destroy();
    }
  });
  server.on('timeout', (socket: Socket) => {
    const [current] = pipeline.unanswered(socket);
    const isOwed = !(current instanceof Error) && current?.req.complete === true && !current.headersSent;
    if (!isOwed) { // a slow handler does not make the client idle
      socket.destroy();
    }
  });
  return server;

  async function start(response: ServerResponse, arrivedAtMs: number): Promise<void> {
    const { socket } = response.req;
    try {
      const reply = await answer(response.req, arrivedAtMs);
      if (reply.closesConnection === true || (isEnding() && pipeline.unanswered(socket).length < 2)) {
        response.shouldKeepAlive = false;
      }
      send(response, reply, hold, limits.responseTimeoutMs);
    } catch {
      socket.destroy(); // no response can be made or sent
    }
  }

  function refuse(error: Error, socket: Socket): void {
    if (socket.writable) {
      const { status, headers, body } = refuseUnread(toStatus(error, limits.targetBytesMax), peerOf(socket));
      const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), 'Connection': 'close' };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body.toString()}`);
    }
  }
}

/** The request target, or its beginning, in the refused bytes. */
const TARGET = /^[A-Z]+ ([^ \n]*)/;

function toStatus(
  { code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }, targetBytesMax: number,
): RefusalStatus {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const [, target = ''] = TARGET.exec(rawPacket?.toString('latin1') ?? '') ?? [];
    return target.length > targetBytesMax ? 414 : 431;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
