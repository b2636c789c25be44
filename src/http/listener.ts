/**
 * The `node:http` server under its limits and deadlines. Node.js answers some requests itself, or hands them
 * over as `clientError`; those get the same form of answer as all others.
 */
import {
  createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Reply, WholeReply } from './exchange.ts';
import { createHeldMemory } from './held-memory.ts';
import { createPipeline, type Exchange } from './pipeline.ts';
import { send } from './send.ts';
import type { TlsOptions } from './tls.ts';

interface ListenerLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the two deadlines above are checked. */
  readonly timeoutCheckIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  /** A connection on which nothing moves for this long is closed, also while an answer waits to be read. */
  readonly idleTimeoutMs: number;
  /** Time for a client to take an answer that does not fit into the buffers of the system. */
  readonly responseTimeoutMs: number;
  /** 0 is no limit. */
  readonly requestsPerConnectionMax: number;
  readonly headerBytesMax: number;
  readonly targetBytesMax: number;
  readonly bodyBytesMax: number;
}

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface ListenerHandlers {
  answer(incoming: IncomingMessage): Promise<Reply>;
  /**
   * The answer to what is not even a request, headers included.
   *
   * @param peer - The other end of the connection.
   */
  refuse(status: RefusalStatus, peer: string): WholeReply;
  /** Answers are to be the last ones of their connections. */
  isEnding(): boolean;
  /**
   * A connection is closed, because its client does not read and the process holds too much for such clients.
   */
  onCut(peer: string, sizeBytes: number): void;
}

/** A few hundred long answers; a small container has room for it. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** @param tls - Absent for plain HTTP. */
export function createListener(limits: ListenerLimits, handlers: ListenerHandlers, tls?: TlsOptions): Server {
  const { answer, refuse, isEnding, onCut } = handlers;
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    requireHostHeader: false, // framing.ts checks it, so that the answer has our form
  };
  const server = tls === undefined
    ? createServer(options, onRequest)
    : createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeoutMs }, onRequest);
  server.timeout = limits.idleTimeoutMs;
  // Bounded by the size, and counted by framing.ts; Node.js would drop fields silently.
  server.maxHeadersCount = 0;
  const held = createHeldMemory(HELD_BYTES_MAX, ({ remoteAddress = '' }, size) => onCut(remoteAddress, size));
  const pipeline = createPipeline({
    held,
    requestsMax: limits.requestsPerConnectionMax,
    answer: start,
    refuse: refuseRaw,
  });
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    receive({ incoming, outgoing, isExpectingMore: true });
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (isAnswered(error)) {
      pipeline.fail(error, socket as Socket); // of a server that listens on a port
    } else {
      socket.destroy();
    }
  });
  server.on('timeout', (socket: Socket) => {
    if (!pipeline.owesAnswer(socket)) { // or it would be closed while the answer is still made
      socket.destroy();
    }
  });
  return server;

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    receive({ incoming, outgoing, isExpectingMore: false });
  }

  function receive(exchange: Exchange): void {
    exchange.outgoing.on('error', () => {}); // the client is gone; there is nobody to tell
    pipeline.receive(exchange);
  }

  function start(exchange: Exchange): void {
    const { incoming, outgoing, isExpectingMore } = exchange;
    if (isExpectingMore) {
      const reply = refuse(417, incoming.socket.remoteAddress ?? '');
      outgoing.writeHead(reply.status, toClosingHeaders(reply)).end(reply.body);
      return;
    }
    answer(incoming)
      .then((reply) => finish(exchange, reply))
      .catch(() => incoming.socket.destroy()); // no answer can be made or sent; the process lives on
  }

  function finish(exchange: Exchange, reply: Reply): Promise<void> | undefined {
    const { incoming, outgoing } = exchange;
    const { socket } = incoming;
    const sending = send(incoming, outgoing, reply, {
      bodyBytesMax: limits.bodyBytesMax,
      isLast: reply.closesConnection === true || pipeline.isLast(exchange, isEnding()),
      hold: (sizeBytes) => held.hold(socket, sizeBytes),
    });
    closeUnlessTaken(outgoing, socket, limits.responseTimeoutMs);
    return sending;
  }

  function refuseRaw(error: Error, socket: Socket): void {
    if (socket.writable) {
      socket.end(toRawAnswer(refuse(toStatus(error, limits.targetBytesMax), socket.remoteAddress ?? '')));
    }
  }
}

/** Errors of HTTP; on a connection that broke, or that is not secure yet, nothing can be said. */
function isAnswered({ code }: NodeJS.ErrnoException): boolean {
  return /^(HPE_|ERR_HTTP_)/.test(code ?? '');
}

/**
 * A client that takes a byte now and then keeps a connection from being idle, and the answer in our memory.
 */
function closeUnlessTaken(outgoing: ServerResponse, socket: Socket, timeoutMs: number): void {
  if (outgoing.writableLength > 0 || !outgoing.writableEnded) { // most answers are out of our hands already
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
  }
}

/** The target of a request, or the beginning of one, in the bytes that were refused. */
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

function toRawAnswer(reply: WholeReply): string {
  const lines = Object.entries(toClosingHeaders(reply)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}`;
  return `${head}\r\n${reply.body.toString()}`;
}

function toClosingHeaders({ headers, body }: WholeReply): Record<string, string> {
  return { ...headers, 'Content-Length': String(Buffer.byteLength(body)), 'Connection': 'close' };
}
