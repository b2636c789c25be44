/**
 * Limits the memory that all connections hold together: responses that clients do not read, and requests that
 * wait. Beyond the limit, the connection that holds the most is closed. A limit for each connection would not
 * be enough, because one client may open a thousand. Refusing new requests would punish other clients.
 */
import type { Socket } from 'node:net';

/** Room for three of the longest lists or a hundred usual lists. Little memory for a small container. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** @param sizeBytes - The bytes that the connection holds in addition. A negative number releases bytes. */
export type Hold = (socket: Socket, sizeBytes: number) => void;

/** @param onCut - Called before a connection is closed, with the bytes that the connection holds. */
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
    // The newest connection is never closed, so that a long response can begin.
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
