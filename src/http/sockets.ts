/**
 * The sockets that a server has accepted. With TLS, Node.js reports a socket before the handshake, and again
 * with `secureConnection` after it, as another object. A handshake that never ends must count, and must not
 * outlive the service. So the limit and the shutdown look at the sockets of this file.
 *
 * The open connections of each network are limited. With one limit for all networks together, one client
 * could keep out all others. A connection beyond the limit is closed before anything is read.
 */
import type { Server, Socket } from 'node:net';
import { peerOf, toNetwork, type IsTrusted } from './client-address.ts';

/** Unfinished requests of so many connections occupy less than 300 MB. A school may share one address. */
export const CONNECTIONS_PER_ADDRESS_MAX = 1_024;

interface SocketLimits {
  readonly perNetworkMax: number;
  /** Exempts trusted proxies, because a proxy has many clients. */
  readonly isTrusted: IsTrusted | undefined;
  /** Called when a network opens the last connection that it may, so that further ones are refused. */
  readonly onFull: (network: string) => void;
}

/** @returns The open sockets, which change while the server runs. */
export function trackSockets(
  server: Server, { perNetworkMax, isTrusted, onFull }: SocketLimits,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const counts = new Map<string, number>();

  server.prependListener('connection', (socket) => {
    const peer = peerOf(socket);
    const isLimited = isTrusted?.(peer) !== true;
    const network = isLimited ? toNetwork(peer) : 'proxies';
    const count = (counts.get(network) ?? 0) + 1;
    if (isLimited && count > perNetworkMax) {
      socket.destroy();
      return;
    }
    if (isLimited && count === perNetworkMax) {
      onFull(network);
    }
    counts.set(network, count);
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      const left = (counts.get(network) ?? 0) - 1;
      if (left > 0) {
        counts.set(network, left);
      } else {
        counts.delete(network);
      }
    });
  });
  return open;
}
