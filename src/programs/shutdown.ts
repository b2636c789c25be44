/**
 * The shutdown. From the first signal on, `/readyz` fails, so load balancers send no more requests, and
 * responses say `Connection: close`. Until SHUTDOWN_DELAY_MS has passed, requests are served as before.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The time for requests in progress. Docker kills a container 10 seconds after `docker stop`. */
export const SHUTDOWN_TIMEOUT_MS = 8_000;

/** How long a shutdown keeps idle connections, on which clients may just be sending a last request. */
const LAST_REQUEST_MS = 500;

/**
 * Without a handler, process 1 of a container ignores signals. A SIGTERM after a SIGHUP is no second signal:
 * a closed terminal sends SIGHUP to all processes, and the parent process may add a SIGTERM.
 */
export function untilSignal(onSecond: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const ask = (signal: NodeJS.Signals): void => {
      resolve(signal);
      process.on('SIGTERM', onSecond).on('SIGINT', onSecond);
    };
    process.once('SIGTERM', ask).once('SIGINT', ask).on('SIGHUP', resolve);
  });
}

/** @returns The number of connections that were cut off at the timeout. */
export async function drain(
  server: Server, sockets: ReadonlySet<Socket>, timeoutMs = SHUTDOWN_TIMEOUT_MS,
): Promise<number> {
  const startedAtMs = performance.now();
  NetServer.prototype.close.call(server); // `server.close` would also close idle connections
  for (let passedMs = 0; sockets.size > 0 && passedMs < timeoutMs;) {
    await pause(20);
    passedMs = performance.now() - startedAtMs;
    if (passedMs >= LAST_REQUEST_MS) {
      server.closeIdleConnections();
      // Node.js does not count a connection as idle if its client has never sent anything.
      [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    }
  }
  const cutOffCount = sockets.size;
  sockets.forEach((socket) => socket.destroy());
  return cutOffCount;
}
