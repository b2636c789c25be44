/**
 * Tracks the sockets that a server has accepted, for the shutdown and for the limit. With TLS, Node.js
 * reports each connection twice: before the handshake, and as a new object after it. This file tracks the
 * first object, because a handshake that never ends must count, and a shutdown must close it.
 *
 * Each network has a limit of open connections. If all networks shared one limit, one client could keep out
 * all other clients. A connection beyond the limit is closed before anything is read.
 */
import type { Server, Socket } from 'node:net';
import { peerOf, toNetwork, type IsTrusted } from './client-address.ts';

/** A school may share one address. The unfinished requests of 1 024 connections take less than 300 MB. */
export const CONNECTIONS_PER_ADDRESS_MAX = 1_024;

interface SocketLimits {
  readonly perNetworkMax: number;
  /** Exempts trusted proxies, because a proxy has many clients. */
  readonly isTrusted: IsTrusted | undefined;
  /** Called when a network reaches its limit. Its new connections are closed until an open one ends. */
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
