/**
 * Answers the requests of a connection one at a time and in order (RFC 9112 §9.3.2): a request sees the
 * effects of the one before it. Node.js hands over all requests of a packet at once, and would answer them
 * all at once.
 *
 * A request waits until the kernel has taken the answer before it, and for a turn of the event loop, which
 * lets other connections in. While requests wait, nothing more is read from their connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HeldMemory } from './held-memory.ts';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Set when Node.js found an expectation that is not `100-continue`. */
  readonly isExpectingMore: boolean;
}

interface Connection {
  /** The request that is being answered, or was answered last. */
  current: Exchange;
  /** The request that was received last. It differs from `current` while requests wait. */
  last: Exchange;
  /** The parser gave up behind or inside of `last`. */
  error?: Error;
  isWatched: boolean;
  /** Requests whose answer was begun. */
  count: number;
}

interface Pipeline {
  /** Answers a request, at once if no other is being answered on its connection. */
  receive(exchange: Exchange): void;
  /** Refuses what the parser could not read, after what it has read before is answered. */
  fail(error: Error, socket: Socket): void;
  /**
   * True for the request that reaches the limit of its connection. While the process ends, also true for a
   * request without another one behind it.
   */
  isLast(exchange: Exchange, isEnding: boolean): boolean;
  /** True while a request has arrived and its answer has not begun. */
  owesAnswer(socket: Socket): boolean;
}

interface PipelineParts {
  readonly held: HeldMemory;
  /** Of one connection; 0 is no limit. */
  readonly requestsMax: number;
  answer(exchange: Exchange): void;
  /** Refuses and closes; called when all other answers of the connection are complete. */
  refuse(error: Error, socket: Socket): void;
}

/** Measured: Node.js takes about 3 kB for a request of few bytes and the answer to be. */
const WAITING_REQUEST_BYTES = 4_096;

/**
 * A chunked body may come as ten thousand chunks of one byte in one packet, each of which takes a hundred
 * bytes or more.
 */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

export function createPipeline({ held, requestsMax, answer, refuse }: PipelineParts): Pipeline {
  const connections = new WeakMap<Socket, Connection>();

  function wait(connection: Connection, exchange: Exchange): void {
    const { socket, headers } = exchange.incoming;
    const before = connection.last.outgoing;
    connection.last = exchange;
    stopReading(connection, socket);
    const isChunked = headers['transfer-encoding'] !== undefined;
    const release = held.hold(socket, isChunked ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES);
    before.once('close', () => {
      setImmediate(() => {
        release();
        takeTurn(connection, exchange);
      });
    });
  }

  function takeTurn(connection: Connection, exchange: Exchange): void {
    const { socket, complete } = exchange.incoming;
    if (!socket.writable) {
      return; // closed by the client, or by the answer before
    }
    if (connection.error !== undefined && !complete) {
      refuse(connection.error, socket);
      return;
    }
    begin(connection, exchange);
    if (!isBlocked(connection)) {
      socket.resume();
    }
  }

  function begin(connection: Connection, exchange: Exchange): void {
    connection.current = exchange;
    connection.count += 1;
    answer(exchange);
  }

  /** Node.js resumes a connection when a request has been answered, or its body read. */
  function stopReading(connection: Connection, socket: Socket): void {
    if (!connection.isWatched) {
      connection.isWatched = true;
      socket.on('resume', () => {
        if (isBlocked(connection)) {
          socket.pause();
        }
      });
    }
    socket.pause();
  }

  return {
    receive(exchange) {
      const { socket } = exchange.incoming;
      if (!socket.writable) {
        return; // nothing is processed behind "Connection: close" (RFC 9112 §9.6)
      }
      const connection = connections.get(socket);
      if (connection === undefined) {
        const created = { current: exchange, last: exchange, isWatched: false, count: 0 };
        connections.set(socket, created);
        begin(created, exchange);
      } else if (connection.last.outgoing.writableFinished) {
        connection.last = exchange;
        begin(connection, exchange);
      } else {
        wait(connection, exchange);
      }
    },

    fail(error, socket) {
      const connection = connections.get(socket);
      if (connection === undefined || connection.last.outgoing.writableFinished) {
        refuse(error, socket);
      } else if (connection.error === undefined) {
        const { current, last } = connection;
        connection.error = error;
        stopReading(connection, socket);
        if (last.incoming.complete) {
          last.outgoing.once('close', () => refuse(error, socket));
        } else if (last === current) { // otherwise it is refused when its turn comes
          failBody(current, error);
        }
      }
    },

    isLast(exchange, isEnding) {
      const connection = connections.get(exchange.incoming.socket);
      return connection?.count === requestsMax || (isEnding && connection?.last === exchange);
    },

    owesAnswer(socket) {
      const current = connections.get(socket)?.current;
      return current !== undefined && current.incoming.complete && !current.outgoing.headersSent;
    },
  };

  /** The body of a request broke. Its answer takes the place of the refusal if it has begun. */
  function failBody({ incoming, outgoing }: Exchange, error: Error): void {
    if (outgoing.headersSent) {
      incoming.socket.destroy();
    } else {
      refuse(error, incoming.socket);
    }
  }
}

function isBlocked({ current, last, error }: Connection): boolean {
  return current !== last || error !== undefined;
}
