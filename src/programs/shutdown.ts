/**
 * The shutdown. From the first signal on, `/readyz` fails, so that load balancers send no more requests. For
 * SHUTDOWN_DELAY_MS after this signal, requests are served as before; after the delay, the process accepts no
 * more connections, and finishes the requests in flight. A second signal ends the process at once.
 *
 * Answers say `Connection: close` from the first signal on, and idle connections are closed only after a
 * while, because a client that sends on a closed connection cannot know whether its request took effect.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';

/** The time for requests in flight to finish. Docker kills a container 10 seconds after `docker stop`. */
export const SHUTDOWN_TIMEOUT_MS = 8_000;

/** How long waiting connections are accepted: reconnecting clients must not delay the shutdown. */
const ACCEPTING_MS_MAX = 1_000;
/** The time for a last request on an idle connection, after no more connections are accepted. */
const LAST_REQUEST_MS = 500;

/** The most connections that wait to be accepted: the default of Node.js, 511, is too low for a burst. */
export const WAITING_CONNECTIONS_MAX = 4_096;

/**
 * Call `untilSignal` at the very start of the program: without this call, process 1 of a container ignores
 * signals. SIGHUP never counts as the second signal: a closed terminal sends SIGHUP to all processes, and the
 * parent process may add a SIGTERM, which must not cut the shutdown short.
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
  await acceptWaiting(server, startedAtMs + ACCEPTING_MS_MAX);
  NetServer.prototype.close.call(server); // `server.close` would also close idle connections
  const stoppedAtMs = performance.now();
  while (sockets.size > 0 && performance.now() - startedAtMs < timeoutMs) {
    await pause(20);
    if (performance.now() - stoppedAtMs >= LAST_REQUEST_MS) {
      server.closeIdleConnections();
      // Node.js does not count a connection as idle if its client has never sent anything.
      [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    }
  }
  const cutOffCount = sockets.size;
  sockets.forEach((socket) => socket.destroy());
  return cutOffCount;
}

/** Accepts the waiting connections, because closing the server would reset them. */
async function acceptWaiting(server: Server, untilMs: number): Promise<void> {
  let acceptedCount = 0;
  server.on('connection', () => { acceptedCount += 1; });
  for (let before = -1; before < acceptedCount && performance.now() < untilMs;) {
    before = acceptedCount;
    await setImmediate();
  }
}
