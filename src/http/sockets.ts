/**
 * The sockets that a server has accepted. With TLS, Node.js reports a socket before the handshake, and again
 * with `secureConnection` after it, as another object. A handshake that never ends must count, and must not
 * outlive the service. So the limit and the shutdown look at the sockets of this file.
 *
 * The open connections of each client are limited. With one limit for all addresses together, one client
 * could keep out all others. A connection beyond the limit is closed before anything is read.
 */
import type { Server, Socket } from 'node:net';
import { peerOf } from './client-address.ts';

/** Unfinished requests of so many connections occupy less than 300 MB. A school may share one address. */
export const CONNECTIONS_PER_ADDRESS_MAX = 1_024;

interface Owners {
  /** Names the client that has a peer's connections. `undefined` exempts the peer from the limit. */
  readonly ownerOf: (peer: string) => string | undefined;
  /** Called when an owner opens the last connection that it may, so that further ones are refused. */
  readonly onFull: (owner: string) => void;
}

/** @returns The open sockets, which change while the server runs. */
export function trackSockets(
  server: Server, connectionsPerAddressMax: number, { ownerOf, onFull }: Owners,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const counts = new Map<string | undefined, number>();

  server.prependListener('connection', (socket) => {
    const owner = ownerOf(peerOf(socket));
    const count = (counts.get(owner) ?? 0) + 1;
    if (owner !== undefined && count > connectionsPerAddressMax) {
      socket.destroy();
      return;
    }
    if (owner !== undefined && count === connectionsPerAddressMax) {
      onFull(owner);
    }
    counts.set(owner, count);
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      const left = (counts.get(owner) ?? 0) - 1;
      void (left > 0 ? counts.set(owner, left) : counts.delete(owner));
    });
  });
  return open;
}
