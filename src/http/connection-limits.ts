/**
 * Limits the number of connections from each network, so that no client can keep out all other clients.
 * Limits the memory of all connections together, because one client may open a thousand connections.
 */
import type { Server, Socket } from 'node:net';
import { peerOf, toNetwork, type IsTrusted } from './client-address.ts';

export type Warn = (message: string, fields: Readonly<Record<string, string | number>>) => void;

/** The maximum memory for unread responses and waiting requests: enough for three of the longest lists. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** @returns All open sockets, including those of TLS connections whose handshake has not ended. */
export function trackSockets(
  server: Server, perNetworkMax: number, isTrusted: IsTrusted | undefined, warn: Warn,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const networks = new Map<string, Set<Socket>>();
  server.prependListener('connection', (socket) => {
    const peer = peerOf(socket);
    const [network, max] = isTrusted?.(peer) ? [peer, Infinity] : [toNetwork(peer), perNetworkMax];
    const members = networks.get(network) ?? new Set();
    if (members.size >= max) {
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
    if (members.size === max) {
      warn('no more connections accepted', { address: network });
    }
  });
  return open;
}

/** @param sizeBytes - How much more memory the connection now holds; negative if it holds less. */
export type Hold = (socket: Socket, sizeBytes: number) => void;

export function createHold(warn: Warn): Hold {
  const held = new Map<Socket, number>();
  let totalBytes = 0;
  const forget = (socket: Socket): void => {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  };
  return (newest, sizeBytes) => {
    if (newest.destroyed) {
      return;
    }
    if (!held.has(newest)) {
      newest.once('close', () => forget(newest));
    }
    held.set(newest, (held.get(newest) ?? 0) + sizeBytes);
    totalBytes += sizeBytes;
    if (totalBytes <= HELD_BYTES_MAX) {
      return;
    }
    // Never closes the newest connection, so that a long response on this connection can begin.
    for (const [socket, bytes] of [...held].toSorted(([, left], [, right]) => right - left)) {
      if (totalBytes > HELD_BYTES_MAX && bytes > 0 && socket !== newest) {
        forget(socket);
        warn('connection closed: the client did not read the response', { address: peerOf(socket), bytes });
        socket.destroy();
      }
    }
  };
}
