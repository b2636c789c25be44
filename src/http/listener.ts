/**
 * The `node:http` server under its limits and deadlines. Node.js answers some requests itself, or hands them over as
 * `clientError`; those get the same form of answer as all others.
 */
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Reply, WholeReply } from './exchange.ts';
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
  /** The answer to what is not even a request, headers included. @param peer - The other end of the connection. */
  refuse(status: RefusalStatus, peer: string): WholeReply;
  /** Answers are to be the last ones of their connections. */
  isEnding(): boolean;
}

/** Errors of HTTP; on a connection that broke, or that is not secure yet, nothing can be said. */
const ANSWERED = /^(HPE_|ERR_HTTP_)/;

/** @param tls - Absent for plain HTTP. */
export function createListener(limits: ListenerLimits, { answer, refuse, isEnding }: ListenerHandlers, tls?: TlsOptions): Server {
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
  server.maxRequestsPerSocket = limits.requestsPerConnectionMax;
  server.maxHeadersCount = 0; // bounded by the size, and counted by framing.ts; Node.js would drop fields silently
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const reply = refuse(417, incoming.socket.remoteAddress ?? '');
    outgoing.writeHead(reply.status, toClosingHeaders(reply)).end(reply.body);
  });

  /** The latest answer of a connection, by which a broken request is told from a broken connection. */
  const latest = new WeakMap<Duplex, { incoming: IncomingMessage; outgoing: ServerResponse }>();

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    latest.set(incoming.socket, { incoming, outgoing });
    outgoing.on('error', () => {}); // the client is gone; there is nobody to tell
    answer(incoming)
      .then((reply) => {
        const isLast = isEnding() && isLatest(incoming);
        const sending = send(incoming, outgoing, reply, { bodyBytesMax: limits.bodyBytesMax, isLast });
        closeUnlessTaken(incoming, outgoing, limits.responseTimeoutMs);
        return sending;
      })
      .catch(() => incoming.socket.destroy()); // no answer can be made or sent; the process lives on
  }

  /** Those that came after it on the same connection may have taken effect already, and must be answered too. */
  function isLatest(incoming: IncomingMessage): boolean {
    return latest.get(incoming.socket)?.incoming === incoming;
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
    const current = latest.get(socket);
    const isAnswering = current !== undefined && !current.outgoing.writableFinished;
    const mayAnswer = !isAnswering || (!current.incoming.complete && !current.outgoing.headersSent);
    if (socket.writable && mayAnswer && ANSWERED.test(error.code ?? '')) {
      socket.end(toRawAnswer(refuse(toStatus(error, limits.targetBytesMax), socket.remoteAddress ?? '')));
    } else {
      socket.destroy();
    }
  });
  return server;
}

/** A client that takes a byte now and then keeps a connection from being idle, and the answer in our memory. */
function closeUnlessTaken(incoming: IncomingMessage, outgoing: ServerResponse, timeoutMs: number): void {
  if (outgoing.writableLength > 0 || !outgoing.writableEnded) { // most answers are out of our hands already
    const timer = setTimeout(() => incoming.socket.destroy(), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
  }
}

/** The target of a request, or the beginning of one, in the bytes that were refused. */
const TARGET = /^[A-Z]+ ([^ \n]*)/;

function toStatus({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }, targetBytesMax: number): RefusalStatus {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'HPE_HEADER_OVERFLOW':
      return (TARGET.exec(rawPacket?.toString('latin1') ?? '')?.[1] ?? '').length > targetBytesMax ? 414 : 431;
    default:
      return 400;
  }
}

function toRawAnswer(reply: WholeReply): string {
  const lines = Object.entries(toClosingHeaders(reply)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}\r\n${reply.body.toString()}`;
}

function toClosingHeaders({ headers, body }: WholeReply): Record<string, string> {
  return { ...headers, 'Content-Length': String(Buffer.byteLength(body)), 'Connection': 'close' };
}
