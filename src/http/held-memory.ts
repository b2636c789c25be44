/**
 * Bounds the memory that slow readers occupy: responses that the kernel does not take, and requests queued
 * behind them. A bound per connection is not enough, because one client may open thousands.
 *
 * Beyond the bound, the connection that holds the most is closed. Refusing new requests instead would punish
 * other clients until the slow readers time out.
 */
import type { Socket } from 'node:net';

export interface HeldMemory {
  /** @returns A function that releases these bytes. It has no effect after the connection has closed. */
  hold(socket: Socket, sizeBytes: number): () => void;
}

/** @param onCut - Called before a connection is closed, with the number of bytes that it held. */
export function createHeldMemory(
  sizeBytesMax: number,
  onCut: (socket: Socket, sizeBytes: number) => void,
): HeldMemory {
  /** Bytes held by each connection, from its first `hold` until it closes. */
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
