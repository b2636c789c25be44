/**
 * The end of a process that serves. When it is first asked to end, it ends in order: `/readyz` fails at once,
 * and for SHUTDOWN_DELAY_MS everything is served as before, until load balancers have noticed. Then no
 * connection is accepted any more, what is in flight is finished, and the rest is up to its caller. When it
 * is asked again, it ends at once.
 *
 * A client cannot know that a connection was closed before it sends a request, and cannot know afterwards
 * whether that took effect. So from the first moment on answers say `Connection: close`, and connections
 * without a request are closed only when none has come for a while.
 */
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import type { LifeCycle } from '../model/life-cycle.ts';
import type { Log } from '../telemetry/log.ts';
import { END_MESSAGE } from '../extras/workers/supervisor.ts';
import { EXIT_FAILURE, EXIT_OK } from '../runtime.ts';

/** How long a connection may wait for its next request, or its first one, once no more are accepted. */
const LAST_REQUEST_MS = 500;
const POLL_MS = 20;

/** Under load there is no end of new ones. */
const ACCEPTING_TURNS_MAX = 1_000;

interface Ending {
  readonly log: Log;
  readonly endsAtHangUp: boolean;
  /** Ends this process. */
  readonly exit: (code: number) => void;
}

/**
 * Watches for what asks the process to end, from its very start: process 1 of a container has no default for
 * signals.
 *
 * @returns Takes what ends in order; before that is known, there is nothing to finish.
 */
export function watchForEnd(
  lifeCycle: LifeCycle,
  { log, endsAtHangUp, exit }: Ending,
): (endInOrder: () => Promise<void>) => void {
  let finish = async (): Promise<void> => {};
  onEndRequest({
    endsAtHangUp,
    onFirst(reason) {
      lifeCycle.isEnding = true;
      log('info', 'ending', { reason });
      void finish().then(() => {
        log('info', 'ended');
        exit(EXIT_OK);
      });
    },
    onNext: () => exit(EXIT_FAILURE),
  });
  return (endInOrder) => { finish = endInOrder; };
}

/**
 * Tells when the process is asked to end. SIGHUP is no impatient second request, nor does it make the next
 * one such: a terminal that is closed sends it to all processes, and one that started this one may send
 * SIGTERM because of it.
 *
 * @param endsAtHangUp - Whether SIGHUP asks for the end as well.
 * @param onFirst - Told what asked first.
 * @param onNext - Called when it is asked again.
 */
export function onEndRequest(
  { endsAtHangUp, onFirst, onNext }: {
    readonly endsAtHangUp: boolean;
    readonly onFirst: (reason: string) => void;
    readonly onNext: () => void;
  },
): void {
  let isEnding = false;
  let insistence = 0;

  function request(reason: string): void {
    insistence += reason === 'SIGHUP' ? 0 : 1;
    if (!isEnding) {
      isEnding = true;
      onFirst(reason);
    } else if (insistence > 1) {
      onNext();
    }
  }

  for (const signal of ['SIGTERM', 'SIGINT', ...(endsAtHangUp ? ['SIGHUP'] as const : [])] as const) {
    // Terminals and service managers may send signals to workers, too, which end when
    // their supervisor says so.
    process.on(signal, () => cluster.isWorker || request(signal));
  }
  process.on('message', (message) => message === END_MESSAGE && request('supervisor'));
}

interface DrainLimits {
  readonly shutdownDelayMs: number;
  readonly shutdownTimeoutMs: number;
}

/**
 * @returns Fulfilled when no connection is left; the number of those that were cut off, as the time was over.
 */
export function prepareDrain(server: Server): (limits: DrainLimits) => Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async ({ shutdownDelayMs, shutdownTimeoutMs }) => {
    await pause(shutdownDelayMs);
    await stopAccepting(server);
    const stoppedAtMs = performance.now();
    while (sockets.size > 0 && performance.now() - stoppedAtMs < shutdownTimeoutMs) {
      await pause(POLL_MS);
      if (performance.now() - stoppedAtMs >= LAST_REQUEST_MS) {
        server.closeIdleConnections();
        // Node.js does not count a socket that has never sent anything as idle.
        [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
      }
    }
    const cutOffCount = sockets.size;
    sockets.forEach((socket) => socket.destroy());
    return cutOffCount;
  };
}

/**
 * A connection that the system has made and nobody has accepted yet would be reset. So those are accepted
 * first: one in each turn of the event loop, until a turn brings none. `Server.close` of `node:http` would
 * close idle connections as well.
 */
async function stopAccepting(server: Server): Promise<void> {
  let acceptedCount = 0;
  server.on('connection', () => { acceptedCount += 1; });
  for (let turn = 0, before = -1; before !== acceptedCount && turn < ACCEPTING_TURNS_MAX; turn += 1) {
    before = acceptedCount;
    await setImmediate();
  }
  NetServer.prototype.close.call(server);
}
