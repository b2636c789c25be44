/**
 * Tracks the open sockets of a server, and limits the sockets of each network: with one limit for all
 * networks, one client could keep out all others. A TLS connection counts even before its handshake,
 * which may never end.
 */
import type { Server, Socket } from 'node:net';
import { peerOf, toNetwork, type IsTrusted } from './client-address.ts';

/** A school may share one address. 1,024 connections with unfinished requests take under 300 MB. */
export const CONNECTIONS_PER_ADDRESS_MAX = 1_024;

interface SocketLimits {
  readonly perNetworkMax: number;
  /** Exempts trusted proxies, because a proxy has many clients. */
  readonly isTrusted: IsTrusted | undefined;
  readonly onFull: (network: string) => void;
}

/** @returns The open sockets, as a set that changes while the server runs. */
export function trackSockets(
  server: Server, { perNetworkMax, isTrusted, onFull }: SocketLimits,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const networks = new Map<string, Set<Socket>>();

  server.prependListener('connection', (socket) => {
    const peer = peerOf(socket);
    const isLimited = isTrusted?.(peer) !== true;
    const network = isLimited ? toNetwork(peer) : 'proxies';
    const members = networks.get(network) ?? new Set();
    if (isLimited && members.size >= perNetworkMax) {
      socket.destroy();
      return;
    }
    open.add(socket);
    networks.set(network, members.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      members.delete(socket);
      if (members.size === 0) {
        networks.delete(network);
      }
    });
    if (isLimited && members.size === perNetworkMax) {
      onFull(network);
    }
  });
  return open;
}
