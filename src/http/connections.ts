/**
 * Limits the number of open connections. With a total limit alone, one client could keep out all others, so
 * each client has a limit of its own. A connection beyond a limit is closed before anything is read.
 */
import type { Server } from 'node:net';

interface ConnectionLimits {
  /** 0 means no limit. */
  readonly connectionsMax: number;
  /** The limit for each owner; 0 means no limit. */
  readonly connectionsPerAddressMax: number;
}

interface ConnectionOwners {
  /** Names the owner of a peer's connection: the client. `undefined` exempts it from the limit per owner. */
  readonly ownerOf: (peer: string) => string | undefined;
  /**
   * Called at most every ten seconds.
   *
   * @param count - Connections refused since the last call.
   * @param owner - The owner of the last refused connection.
   */
  readonly onRefused: (count: number, owner: string) => void;
}

/** The shortest time between two calls of `onRefused`. */
const REPORT_EVERY_MS = 10_000;

export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  { ownerOf, onRefused }: ConnectionOwners,
): void {
  const open = new Map<string, number>();
  let refusedCount = 0;
  let reportedAtMs = -Infinity;

  function report(owner: string): void {
    refusedCount += 1;
    if (performance.now() - reportedAtMs >= REPORT_EVERY_MS) {
      onRefused(refusedCount, owner);
      reportedAtMs = performance.now();
      refusedCount = 0;
    }
  }

  function leave(owner: string): void {
    const count = (open.get(owner) ?? 0) - 1;
    if (count > 0) {
      open.set(owner, count);
    } else {
      open.delete(owner);
    }
  }

  if (limits.connectionsMax > 0) {
    server.maxConnections = limits.connectionsMax;
  }
  server.on('drop', (connection) => report(connection?.remoteAddress ?? ''));
  server.prependListener('connection', (socket) => {
    const owner = ownerOf(socket.remoteAddress ?? '');
    if (owner === undefined || limits.connectionsPerAddressMax === 0) {
      return;
    }
    const count = open.get(owner) ?? 0;
    if (count >= limits.connectionsPerAddressMax) {
      report(owner);
      socket.destroy();
    } else {
      open.set(owner, count + 1);
      socket.once('close', () => leave(owner));
    }
  });
}
