/**
 * Limits the memory that all connections hold together: responses that clients do not read, and requests that
 * wait behind them. A limit for each connection is not enough, because one client may open thousands. So the
 * connection that holds the most is closed. Refusing requests instead would punish other clients.
 */
import type { Socket } from 'node:net';

/** Enough for three of the longest lists or a hundred usual ones, and little for a small container. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** @param sizeBytes - How many bytes the connection holds in addition, or less if the number is negative. */
export type Hold = (socket: Socket, sizeBytes: number) => void;

/** @param onCut - Called before a connection is closed, with the number of bytes that it held. */
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
    // A connection never makes room for itself, so that a long response can begin.
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
