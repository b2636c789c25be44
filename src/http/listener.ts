/** The `node:http` server with its limits and deadlines. */
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HEADER_FIELDS_MAX, TARGET_BYTES_MAX } from './framing.ts';
import { createPipeline, type Application, type RefusalStatus } from './pipeline.ts';
import type { TlsOptions } from './tls.ts';

export const LISTENER_LIMITS = {
  headersTimeoutMs: 10_000,
  /** The time for a whole request to arrive: enough for 32 KiB at 1.6 KB/s. */
  requestTimeoutMs: 20_000,
  /** How often Node.js checks `headersTimeoutMs` and `requestTimeoutMs`. */
  timeoutCheckIntervalMs: 2_000,
  /**
   * An idle connection stays longer than the 60 s of many proxies: a server that closes a connection before
   * the proxy may lose a request on its way.
   */
  keepAliveTimeoutMs: 65_000,
  /** The time that a client has to read a response that the buffers of the operating system cannot hold. */
  responseTimeoutMs: 60_000,
};

/** The most bytes of the request line and the header fields together. */
const HEADER_BYTES_MAX = 16_384;

/**
 * The time after which a connection without traffic ends. A change of a password may wait without traffic for
 * three hashes, up to 30 s for each hash.
 */
const IDLE_TIMEOUT_MS = 300_000;

export function createListener(
  limits: typeof LISTENER_LIMITS, application: Application, tls?: TlsOptions,
): Server {
  const pipeline = createPipeline(application, limits.responseTimeoutMs);
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // framing.ts checks `Host`, and refuses with a problem
  };
  const server = createServer(options, tls);
  server.timeout = IDLE_TIMEOUT_MS;
  // A client may close its sending side and still read. The types of Node.js lack `httpAllowHalfOpen`.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node.js silently drops the header fields beyond `maxHeadersCount`, and framing.ts must see the first
  // field too many.
  server.maxHeadersCount = HEADER_FIELDS_MAX + 1;
  server.on('request', pipeline.receive);
  server.on('checkExpectation', pipeline.receive); // framing.ts refuses unknown expectations
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Only errors of the parser get a response: after other errors, the connection is broken, or its TLS
    // handshake has not finished.
    if (/^(HPE_|ERR_HTTP_)/.test(error.code ?? '')) {
      pipeline.fail(toStatus(error), socket as Socket); // on a port, every connection is a `Socket`
    } else {
      socket.destroy();
    }
  });
  return server;
}

/**
 * An `import` of `node:http` would load all parts of the module: its client for web sockets alone takes 6 MB
 * of memory, and 50 ms of processor time at each start.
 */
function createServer(options: ServerOptions, tls?: TlsOptions): Server {
  if (tls === undefined) {
    const { createServer } = process.getBuiltinModule('node:http');
    return createServer(options);
  }
  const { createServer } = process.getBuiltinModule('node:https');
  return createServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout });
}

function toStatus({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): RefusalStatus {
  if (code === 'HPE_HEADER_OVERFLOW') { // in the target or in the header fields
    const [, target = ''] = /^[A-Z]+ ([^ \n]*)/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
    return target.length > TARGET_BYTES_MAX ? 414 : 431;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
