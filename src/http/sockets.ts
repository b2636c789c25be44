/**
 * The sockets that a server has accepted. With TLS, Node.js reports a socket before the handshake, and again
 * with `secureConnection` after it, as another object. Nothing public links the two, so `connections.ts` has
 * records of its own. A handshake that never ends must count, and must not outlive the service. So the limit
 * and the shutdown look at the sockets of this file.
 *
 * The open connections of each client are limited. With a limit for all together, one client could keep out
 * the others. A connection beyond the limit is closed before anything is read.
 */
import type { Server, Socket } from 'node:net';
import { peerOf } from './client-address.ts';

export const SOCKET_LIMITS = {
  /**
   * The limit for each owner. Unfinished requests of as many connections occupy less than 300 MB, and as many
   * clients may share the address of a school or an office.
   */
  connectionsPerAddressMax: 1_024,
};

interface SocketOwners {
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

/** @returns The open sockets, which change while the server runs. */
export function trackSockets(
  server: Server,
  { connectionsPerAddressMax }: Readonly<typeof SOCKET_LIMITS>,
  { ownerOf, onRefused }: SocketOwners,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const counts = new Map<string, number>();
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

  function count(owner: string, change: 1 | -1): void {
    const now = (counts.get(owner) ?? 0) + change;
    if (now > 0) {
      counts.set(owner, now);
    } else {
      counts.delete(owner);
    }
  }

  server.prependListener('connection', (socket) => {
    const owner = ownerOf(peerOf(socket));
    if (owner !== undefined && (counts.get(owner) ?? 0) >= connectionsPerAddressMax) {
      report(owner);
      socket.destroy();
      return;
    }
    if (owner !== undefined) {
      count(owner, 1);
      socket.once('close', () => count(owner, -1));
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
