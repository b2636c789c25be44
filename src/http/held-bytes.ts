/**
 * Limits the memory that all connections together hold for unread responses and for waiting requests. Beyond
 * the limit, the connection that holds the most memory is closed. A limit for each connection would not be
 * enough, because one client may open a thousand connections.
 */
import type { Socket } from 'node:net';

/** The limit for all connections together: room for three responses with the longest lists. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** @param sizeBytes - How many bytes more the connection holds from now on; negative if it holds fewer. */
export type Hold = (socket: Socket, sizeBytes: number) => void;

export function createHold(onCut: (socket: Socket, sizeBytes: number) => void): Hold {
  const held = new Map<Socket, number>();
  let totalBytes = 0;

  function forget(socket: Socket): void {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  }

  return (newest, sizeBytes) => {
    if (newest.destroyed) {
      return;
    }
    if (!held.has(newest)) {
      newest.once('close', () => forget(newest));
    }
    held.set(newest, (held.get(newest) ?? 0) + sizeBytes);
    totalBytes += sizeBytes;
    // The connection whose memory was just counted is not closed, so that a long response can begin.
    const others = totalBytes > HELD_BYTES_MAX ? [...held].filter(([socket]) => socket !== newest) : [];
    for (const [socket, bytes] of others.toSorted(([, left], [, right]) => right - left)) {
      if (totalBytes > HELD_BYTES_MAX && bytes > 0) {
        forget(socket);
        onCut(socket, bytes);
        socket.destroy();
      }
    }
  };
}
