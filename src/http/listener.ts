/**
 * The `node:http` server with its limits and deadlines. Requests that Node.js would refuse itself, or reports
 * as `clientError`, get the same form of response as all others.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { peerOf } from './client-address.ts';
import { createConnections, type Exchange } from './connections.ts';
import type { Reply } from './message.ts';
import { createServer, STATUS_CODES } from './node-http.ts';
import { createPipeline } from './pipeline.ts';
import { send } from './send.ts';
import type { TlsOptions } from './tls.ts';
import { createTurns } from './turns.ts';

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
  /** 0 means no limit. */
  requestsPerConnectionMax: 100_000,
};

type ListenerLimits = Readonly<typeof LISTENER_LIMITS> & { readonly targetBytesMax: number };

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface ListenerHandlers {
  /** @param beganAtMs - When it was the turn of the request, by `performance.now()`. */
  answer(incoming: IncomingMessage, beganAtMs: number): Promise<Reply>;
  /**
   * Makes the reply, with its headers, to bytes that are no valid request.
   *
   * @param peer - The other end of the connection.
   */
  refuseUnread(status: RefusalStatus, peer: string): Reply;
  /** True during shutdown, when each reply should be the last of its connection. */
  isEnding(): boolean;
  /**
   * Called before a connection is closed because its client does not read, and slow readers occupy too much
   * memory.
   */
  onCut(peer: string, sizeBytes: number): void;
}

/**
 * The most bytes that slow readers may occupy: enough for a few hundred long responses, and small enough for
 * a small container.
 */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** @param tls - Absent for plain HTTP. */
export function createListener(limits: ListenerLimits, handlers: ListenerHandlers, tls?: TlsOptions): Server {
  const { answer, refuseUnread, isEnding, onCut } = handlers;
  const options = {
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    requireHostHeader: false, // framing.ts checks it, so that the response has our form
  };
  const server = tls === undefined
    ? createServer(options, onRequest)
    : createSecureServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout }, onRequest);
  server.timeout = limits.idleTimeoutMs;
  // A client that has sent everything may close its side and still read. Missing in the types of Node.js.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // 0 is no limit: with a limit, Node.js silently drops the fields beyond it. `maxHeaderSize` limits the size
  // of the fields, and framing.ts their number.
  server.maxHeadersCount = 0;
  const connections = createConnections(HELD_BYTES_MAX, (socket, sizeBytes) => {
    onCut(peerOf(socket), sizeBytes);
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', connections.open);
  const pipeline = createPipeline({
    connections,
    requestsMax: limits.requestsPerConnectionMax,
    answer: createTurns(start),
    refuseRaw,
  });
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    receive({ incoming, outgoing, hasUnknownExpectation: true });
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (isHttpError(error)) {
      pipeline.fail(error, socket as Socket); // on a port, every connection is a `Socket`
    } else {
      socket.destroy();
    }
  });
  server.on('timeout', (socket: Socket) => {
    if (!pipeline.owesAnswer(socket)) { // a slow handler does not make the client idle
      socket.destroy();
    }
  });
  return server;

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    receive({ incoming, outgoing, hasUnknownExpectation: false });
  }

  function receive(exchange: Exchange): void {
    exchange.outgoing.on('error', () => {}); // the client is gone
    pipeline.receive(exchange);
  }

  function start(exchange: Exchange, beganAtMs: number): void {
    const { incoming, outgoing, hasUnknownExpectation } = exchange;
    if (hasUnknownExpectation) {
      const reply = refuseUnread(417, peerOf(incoming.socket));
      outgoing.writeHead(reply.status, toClosingHeaders(reply)).end(reply.body);
      return;
    }
    answer(incoming, beganAtMs)
      .then((reply) => finish(exchange, reply))
      .catch(() => incoming.socket.destroy()); // no response can be made or sent
  }

  function finish(exchange: Exchange, reply: Reply): void {
    const { incoming, outgoing } = exchange;
    const { socket } = incoming;
    send(incoming, outgoing, reply, {
      isLast: reply.closesConnection === true || pipeline.isLast(exchange, isEnding()),
      hold: (sizeBytes) => connections.hold(socket, sizeBytes),
    });
    closeUnlessTaken(outgoing, socket, limits.responseTimeoutMs);
  }

  function refuseRaw(error: Error, socket: Socket): void {
    if (socket.writable) {
      const status = toStatus(error, limits.targetBytesMax);
      socket.end(toRawResponse(refuseUnread(status, peerOf(socket))));
    }
  }
}

/**
 * True if the parser of Node.js refused the bytes, which gets a response. Other errors get none: the
 * connection is broken, or its TLS handshake has not finished.
 */
function isHttpError({ code }: NodeJS.ErrnoException): boolean {
  return /^(HPE_|ERR_HTTP_)/.test(code ?? '');
}

/**
 * Closes the connection of a client that reads too slowly. A client that reads a byte now and then is never
 * idle, so the response would stay in memory.
 */
function closeUnlessTaken(outgoing: ServerResponse, socket: Socket, timeoutMs: number): void {
  if (outgoing.writableLength > 0 || !outgoing.writableEnded) { // usually the kernel has taken everything
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
  }
}

/** The request target, or its beginning, in the refused bytes. */
const TARGET = /^[A-Z]+ ([^ \n]*)/;

function toStatus(
  { code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer },
  targetBytesMax: number,
): RefusalStatus {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'HPE_HEADER_OVERFLOW':
      return (TARGET.exec(rawPacket?.toString('latin1') ?? '')?.[1] ?? '').length > targetBytesMax
        ? 414
        : 431;
    default:
      return 400;
  }
}

function toRawResponse(reply: Reply): string {
  const lines = Object.entries(toClosingHeaders(reply)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}`;
  return `${head}\r\n${reply.body.toString()}`;
}

function toClosingHeaders({ headers, body }: Reply): Record<string, string> {
  return { ...headers, 'Content-Length': String(Buffer.byteLength(body)), 'Connection': 'close' };
}
