/**
 * The `node:http` server with its limits and deadlines. Requests that Node.js would refuse get the same form
 * of response as all others.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { peerOf } from './client-address.ts';
import { HEADER_FIELDS_MAX, TARGET_BYTES_MAX } from './framing.ts';
import { createHold } from './held-bytes.ts';
import type { Reply } from './message.ts';
import { createSecureServer, createServer, STATUS_CODES } from './node-http.ts';
import { createPipeline } from './pipeline.ts';
import { send } from './send.ts';
import type { TlsOptions } from './tls.ts';

export const LISTENER_LIMITS = {
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
  /** The longest time for a client to read a response that does not fit into the buffers of the system. */
  responseTimeoutMs: 60_000,
};

/** The request line and the header fields together, as in Node.js. */
const HEADER_BYTES_MAX = 16_384;

/** A connection without traffic for this long ends. A new password may wait for up to three hashes. */
const IDLE_TIMEOUT_MS = 300_000;

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface ListenerHandlers {
  /** @param arrivedAtMs - `performance.now()` of its arrival, or of its turn if it had to wait. */
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
  limits: typeof LISTENER_LIMITS, { answer, refuseUnread, isEnding, onCut }: ListenerHandlers,
  tls?: TlsOptions,
): Server {
  const hold = createHold((socket, sizeBytes) => onCut(peerOf(socket), sizeBytes));
  const pipeline = createPipeline(hold, start, refuse);
  const options = {
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // framing.ts checks it, so that the response has our form
  };
  const server = tls === undefined
    ? createServer(options)
    : createSecureServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout });
  server.timeout = IDLE_TIMEOUT_MS;
  // A client that has sent everything may close its side and still read. Missing in the types of Node.js.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node.js drops all fields beyond this number without a word. One more than framing.ts accepts, so that
  // framing.ts sees the excess and refuses it.
  server.maxHeadersCount = HEADER_FIELDS_MAX + 1;
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
  return server;

  async function start(response: ServerResponse, arrivedAtMs: number): Promise<void> {
    const { socket } = response.req;
    try {
      const reply = await answer(response.req, arrivedAtMs);
      if (reply.closesConnection === true || (isEnding() && !pipeline.hasWaiting(socket))) {
        response.shouldKeepAlive = false;
      }
      send(response, reply, hold, limits.responseTimeoutMs);
    } catch {
      socket.destroy(); // no response can be made or sent
    }
  }

  function refuse(error: Error, socket: Socket): void {
    if (socket.writable) {
      const { status, headers, body } = refuseUnread(toStatus(error), peerOf(socket));
      const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), 'Connection': 'close' };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body.toString()}`);
    }
  }
}

function toStatus({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): RefusalStatus {
  if (code === 'HPE_HEADER_OVERFLOW') { // of the target or of the fields
    const [, target = ''] = /^[A-Z]+ ([^ \n]*)/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
    return target.length > TARGET_BYTES_MAX ? 414 : 431;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
