/**
 * One record for each connection that carries requests: the turn of its requests, how many were begun, and
 * the memory that it occupies. With TLS these are the decrypted sockets; `sockets.ts` has the raw ones.
 *
 * The memory of all connections together is bounded: responses that the kernel does not take, and requests
 * queued behind them. A bound per connection is not enough, because one client may open thousands. Beyond the
 * bound, the connection that holds the most is closed. Refusing new requests instead would punish other
 * clients until the slow readers time out.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** True when Node.js found an expectation other than `100-continue`. */
  readonly hasUnknownExpectation: boolean;
}

/** The requests of a connection that are being answered or wait. */
export interface Turn {
  /** The request that is being answered, or was answered last. */
  current: Exchange;
  /** The request that was received last. It differs from `current` while requests wait. */
  last: Exchange;
  /** Set when the parser failed after or inside `last`. */
  error?: Error;
  isWatched: boolean;
}

export interface Connection {
  readonly socket: Socket;
  /** Absent before the first request. */
  turn: Turn | undefined;
  /** The number of requests that were begun. */
  requestCount: number;
  heldBytes: number;
}

export interface Connections {
  /** Begins the record of a connection, which ends when the connection closes. */
  open(socket: Socket): void;
  /** @returns `undefined` for a connection that is closed. */
  find(socket: Socket): Connection | undefined;
  /** @returns A function that releases these bytes. It has no effect after the connection has closed. */
  hold(socket: Socket, sizeBytes: number): () => void;
}

/** @param onCut - Called before a connection is closed, with the number of bytes that it held. */
export function createConnections(
  heldBytesMax: number,
  onCut: (socket: Socket, sizeBytes: number) => void,
): Connections {
  const connections = new Map<Socket, Connection>();
  let totalBytes = 0;

  function add(socket: Socket, sizeBytes: number): void {
    const connection = connections.get(socket);
    if (connection !== undefined) {
      connection.heldBytes += sizeBytes;
      totalBytes += sizeBytes;
    }
  }

  function forget(socket: Socket): void {
    totalBytes -= connections.get(socket)?.heldBytes ?? 0;
    connections.delete(socket);
  }

  function cutLargest(): void {
    let largest: Connection | undefined;
    for (const connection of connections.values()) {
      largest = largest !== undefined && largest.heldBytes >= connection.heldBytes ? largest : connection;
    }
    if (largest !== undefined) {
      const { socket, heldBytes } = largest;
      forget(socket);
      onCut(socket, heldBytes);
      socket.destroy();
    }
  }

  return {
    open(socket) {
      connections.set(socket, { socket, turn: undefined, requestCount: 0, heldBytes: 0 });
      socket.once('close', () => forget(socket));
    },
    find: (socket) => connections.get(socket),
    hold(socket, sizeBytes) {
      add(socket, sizeBytes);
      if (totalBytes > heldBytesMax) {
        cutLargest();
      }
      return () => add(socket, -sizeBytes);
    },
  };
}
