/**
 * Limits the memory that all connections hold together: responses that the kernel does not take because the
 * client does not read, and requests that wait behind them. A limit for each connection is not enough,
 * because one client may open thousands. So room is made by closing the connections that hold the most.
 * Refusing new requests instead would punish other clients until the slow readers time out.
 */
import type { Socket } from 'node:net';

/**
 * The most bytes that clients that do not read may make the service hold: enough for three of the longest
 * lists or a hundred usual ones, and small enough for a small container. A connection never has to make room
 * for itself, so that a long response can begin however many short ones are unread.
 */
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
    while (totalBytes > HELD_BYTES_MAX) {
      const others = [...held].filter(([socket, bytes]) => socket !== newest && bytes > 0);
      const [largest] = others.toSorted(([, left], [, right]) => right - left);
      if (largest === undefined) {
        return;
      }
      forget(largest[0]);
      onCut(...largest);
      largest[0].destroy();
    }
  };
}
