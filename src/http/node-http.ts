/**
 * The HTTP server of Node.js. An `import` would also load everything else that `node:http` offers: its client
 * for web sockets alone takes 6 MB of memory, and 50 ms of processor time at each start.
 */
import type { Server, ServerOptions } from 'node:https';

export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** `node:https` and `node:tls` take 4 MB, so only a service that speaks TLS itself loads them. */
export function createSecureServer(options: ServerOptions): Server {
  const { createServer } = process.getBuiltinModule('node:https');
  return createServer(options);
}
