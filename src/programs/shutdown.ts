/**
 * The shutdown. After the first signal, `/readyz` fails, so that load balancers send no more requests. During
 * a shutdown, responses contain `Connection: close`. New requests are served for SHUTDOWN_DELAY_MS. The last
 * round of housekeeping follows, without a time limit. If the database is out of reach, the round can take
 * minutes.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** During shutdown, requests must end within this time. Docker kills a container 10 s after `docker stop`. */
export const SHUTDOWN_TIMEOUT_MS = 8_000;

/** During a shutdown, idle connections stay open for this time, because a request can be on its way. */
const LAST_REQUEST_MS = 500;

/**
 * Without a signal handler, process 1 of a container ignores signals. A closing terminal can cause a SIGHUP
 * and then a SIGTERM, so a SIGTERM after a SIGHUP does not count as a second signal.
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
export async function drain(server: Server, sockets: ReadonlySet<Socket>, timeoutMs = SHUTDOWN_TIMEOUT_MS) {
  const startedAtMs = performance.now();
  NetServer.prototype.close.call(server); // unlike `server.close`, leaves idle connections open
  for (let passedMs = 0; sockets.size > 0 && passedMs < timeoutMs;) {
    await pause(20);
    passedMs = performance.now() - startedAtMs;
    if (passedMs >= LAST_REQUEST_MS) {
      server.closeIdleConnections();
      // If a client has never sent anything, Node.js does not count the connection as idle.
      [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    }
  }
  const cutOffCount = sockets.size;
  sockets.forEach((socket) => socket.destroy());
  return cutOffCount;
}
