/** The `node:http` server with its limits and deadlines. */
import type { Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toNetwork, toPlainAddress } from './client-address.ts';
import { createPipeline, type Application, type RefusalStatus } from './pipeline.ts';
import { HEADER_FIELDS_MAX, TARGET_BYTES_MAX } from './request-smuggling.ts';
import { createTlsServer, type TlsOptions } from './tls.ts';

export const LISTENER_LIMITS = {
  /** A whole school can share one address. Unfinished requests on this many connections take under 300 MB. */
  connectionsPerAddressMax: 1_024,
  headersTimeoutMs: 10_000,
  /** The maximum time for a whole request to arrive. At 1.7 KB/s, even the longest body arrives in time. */
  requestTimeoutMs: 20_000,
  /** The interval at which Node.js checks `headersTimeoutMs` and `requestTimeoutMs`. */
  timeoutCheckIntervalMs: 2_000,
  /** Many proxies reuse a connection that was idle for 60 s, so idle connections stay open for longer. */
  keepAliveTimeoutMs: 65_000,
  /** If the operating system cannot buffer a response, the client must read it within this time. */
  responseTimeoutMs: 60_000,
};

/** The maximum size in bytes of the request line and all header fields together. */
const HEADER_BYTES_MAX = 16_384;

/** Longer than three times `passwordWaitMs`, because a password change can need three hashes in turn. */
const NO_TRAFFIC_TIMEOUT_MS = 300_000;

/** @returns A server that does not listen yet, and the set of its open sockets, which is still empty. */
export function createListener(limits: typeof LISTENER_LIMITS, application: Application, tls?: TlsOptions) {
  const pipeline = createPipeline(application, limits.responseTimeoutMs);
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // request-smuggling.ts checks `Host`, and sends a problem document
  };
  // An `import` of `node:http` would also load a client for web sockets. The client would take 6 MB of
  // memory, and 50 ms of processor time at each start.
  const server = tls === undefined
    ? process.getBuiltinModule('node:http').createServer(options)
    : createTlsServer({ ...options, handshakeTimeout: limits.headersTimeoutMs }, tls, application.log);
  server.timeout = NO_TRAFFIC_TIMEOUT_MS;
  // A client can close its sending side and then read. The types of Node.js lack `httpAllowHalfOpen`.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node.js silently drops header fields above this limit, so request-smuggling.ts has a lower limit.
  server.maxHeadersCount = HEADER_FIELDS_MAX + 1;
  server.on('request', pipeline.receive);
  server.on('checkExpectation', pipeline.receive); // request-smuggling.ts refuses unknown values of `Expect`
  // On CONNECT, Node.js sends no reply. The socket loses its listeners, so an error would end the process.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => {}).on('timeout', () => socket.destroy());
    pipeline.fail(400, socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Every error except a parsing error means a broken connection or an unfinished TLS handshake.
    if (/^(HPE_|ERR_HTTP_)/.test(error.code ?? '')) {
      pipeline.fail(toStatus(error), socket as Socket); // each connection to a port is a `Socket`
    } else {
      socket.destroy();
    }
  });
  return { server, sockets: trackSockets(server, limits.connectionsPerAddressMax, application) };
}

function toStatus({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): RefusalStatus {
  if (code === 'HPE_HEADER_OVERFLOW') { // the target or the header fields are too long
    const [, target = ''] = /^[A-Z]+ ([^ \n]*)/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
    return target.length > TARGET_BYTES_MAX ? 414 : 431;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}

/**
 * Limits the number of connections from each network, so that no client can keep out all other clients.
 *
 * @returns All open sockets, including sockets whose TLS handshake has not ended.
 */
export function trackSockets(
  server: NetServer, perNetworkMax: number,
  { isTrustedProxy, log }: Pick<Application, 'isTrustedProxy' | 'log'>,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const networks = new Map<string, Set<Socket>>();
  server.prependListener('connection', (socket) => {
    const peer = toPlainAddress(socket.remoteAddress);
    const [network, max] = isTrustedProxy?.(peer) ? [peer, Infinity] : [toNetwork(peer), perNetworkMax];
    const members = networks.get(network) ?? new Set();
    if (members.size >= max) {
      socket.destroy();
      return;
    }
    open.add(socket);
    networks.set(network, members.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      members.delete(socket);
      if (members.size === 0) {
        networks.delete(network);
      }
    });
    if (members.size === max) {
      log('warn', 'no more connections accepted', { address: network });
    }
  });
  return open;
}
