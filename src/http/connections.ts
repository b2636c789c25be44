/**
 * How many connections there may be at a time. A limit for all together is an outage that one client can cause, so the limit
 * that matters is one for each client; what is beyond it is closed before anything is read.
 */
import type { Server } from 'node:net';

interface ConnectionLimits {
  /** 0 is no limit. */
  readonly connectionsMax: number;
  /** Of one owner; 0 is no limit. */
  readonly connectionsPerAddressMax: number;
}

interface ConnectionOwners {
  /** Whose a connection is, by the address of its other end; `undefined` for one that counts for nobody. */
  readonly ownerOf: (peer: string) => string | undefined;
  /** Told now and then how many were refused, and who was the last one. */
  readonly onRefused: (count: number, owner: string) => void;
}

/** So many refusals are one line in the log. */
const REPORT_EVERY_MS = 10_000;

export function limitConnections(server: Server, limits: ConnectionLimits, { ownerOf, onRefused }: ConnectionOwners): void {
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
