/**
 * Limits the connections that are open at a time. With a limit for all together, one client can keep out all
 * others. So the limit that matters is the one for each client. A connection beyond a limit is closed before
 * anything is read.
 */
import type { Server } from 'node:net';

interface ConnectionLimits {
  /** 0 is no limit. */
  readonly connectionsMax: number;
  /** Of one owner; 0 is no limit. */
  readonly connectionsPerAddressMax: number;
}

interface ConnectionOwners {
  /** Names the client behind the address of a peer; `undefined` exempts it from the limit for each client. */
  readonly ownerOf: (peer: string) => string | undefined;
  /**
   * Called every ten seconds at most.
   *
   * @param count - Connections refused since the last call.
   * @param owner - The owner of the last one.
   */
  readonly onRefused: (count: number, owner: string) => void;
}

/** Time between two calls of `onRefused`. */
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
