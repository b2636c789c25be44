/**
 * Limits the open connections of each client. With a limit for all together, one client could keep out the
 * others. A connection beyond the limit is closed before anything is read.
 */
import type { Server } from 'node:net';

interface ConnectionLimits {
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
