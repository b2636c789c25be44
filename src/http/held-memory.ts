/**
 * Bounds the memory that clients hold by not reading: answers that the kernel does not take, and requests
 * that wait behind them. A bound for each connection is not enough, as one client may open thousands.
 *
 * Beyond the bound, the connection that holds the most is closed. Refusing new requests instead would punish
 * others until the slow ones time out.
 */
import type { Socket } from 'node:net';

export interface HeldMemory {
  /** @returns Releases these bytes again; also called without effect after the connection has closed. */
  hold(socket: Socket, sizeBytes: number): () => void;
}

/** @param onCut - Told about each connection before it is closed, and what it held. */
export function createHeldMemory(
  sizeBytesMax: number,
  onCut: (socket: Socket, sizeBytes: number) => void,
): HeldMemory {
  /** By connection, from the first time that it holds something until it closes. */
  const held = new Map<Socket, number>();
  let totalBytes = 0;

  function add(socket: Socket, sizeBytes: number): void {
    const before = held.get(socket);
    if (before !== undefined) {
      held.set(socket, before + sizeBytes);
      totalBytes += sizeBytes;
    }
  }

  function forget(socket: Socket): void {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  }

  function cutLargest(): void {
    let largest: [Socket, number] | undefined;
    for (const entry of held) {
      largest = largest !== undefined && largest[1] >= entry[1] ? largest : entry;
    }
    if (largest !== undefined) {
      const [socket, sizeBytes] = largest;
      forget(socket);
      onCut(socket, sizeBytes);
      socket.destroy();
    }
  }

  return {
    hold(socket, sizeBytes) {
      if (socket.destroyed) {
        return () => {};
      }
      if (!held.has(socket)) {
        held.set(socket, 0);
        socket.once('close', () => forget(socket));
      }
      add(socket, sizeBytes);
      if (totalBytes > sizeBytesMax) {
        cutLargest();
      }
      return () => add(socket, -sizeBytes);
    },
  };
}
