/**
 * Limits the memory that all connections hold together: responses that the kernel does not take because the
 * client does not read, and requests that wait behind them. A limit for each connection is not enough,
 * because one client may open thousands. So room is made by closing the connection that holds the most.
 * Refusing new requests instead would punish other clients until the slow readers time out.
 */
import type { Socket } from 'node:net';

/** Counts bytes that a connection holds. @returns A function to call when it holds them no longer. */
export type Hold = (socket: Socket, sizeBytes: number) => () => void;

/**
 * @param bytesMax - At least the longest response and the requests of a packet: a connection never has to
 *   make room for itself, so that a long response can begin however many short ones are unread.
 * @param onCut - Called before a connection is closed, with the number of bytes that it held.
 */
export function createHeldBytes(bytesMax: number, onCut: (socket: Socket, sizeBytes: number) => void): Hold {
  const held = new Map<Socket, number>();
  let totalBytes = 0;

  function change(socket: Socket, sizeBytes: number): void {
    held.set(socket, (held.get(socket) ?? 0) + sizeBytes);
    totalBytes += sizeBytes;
  }

  function forget(socket: Socket): void {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  }

  /** @returns False when no other connection holds anything. */
  function closeLargestExcept(newest: Socket): boolean {
    const others = [...held].filter(([socket, sizeBytes]) => socket !== newest && sizeBytes > 0);
    const [largest] = others.toSorted(([, left], [, right]) => right - left);
    if (largest === undefined) {
      return false;
    }
    const [socket, sizeBytes] = largest;
    forget(socket);
    onCut(socket, sizeBytes);
    socket.destroy();
    return true;
  }

  return (socket, sizeBytes) => {
    if (!held.has(socket)) {
      socket.once('close', () => forget(socket));
    }
    change(socket, sizeBytes);
    while (totalBytes > bytesMax && closeLargestExcept(socket)) {}
    return () => {
      if (held.has(socket)) {
        change(socket, -sizeBytes);
      }
    };
  };
}
