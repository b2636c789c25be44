/**
 * Answers the requests of a connection one at a time and in order (RFC 9112 §9.3.2): each request sees the
 * effects of the previous one. Node.js emits all requests of a packet at once, and would run them
 * concurrently.
 *
 * A request waits until the kernel has taken the previous response. While requests wait, nothing more is
 * read from their connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HeldMemory } from './held-memory.ts';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** True when Node.js found an expectation other than `100-continue`. */
  readonly hasUnknownExpectation: boolean;
}

interface Connection {
  /** The request that is being answered, or was answered last. */
  current: Exchange;
  /** The request that was received last. It differs from `current` while requests wait. */
  last: Exchange;
  /** Set when the parser failed after or inside `last`. */
  error?: Error;
  isWatched: boolean;
  /** The number of requests passed to `answer`. */
  count: number;
}

interface Pipeline {
  /** Answers a request, at once if no other is being answered on its connection. */
  receive(exchange: Exchange): void;
  /** Refuses bytes that the parser could not read, after all earlier requests are answered. */
  fail(error: Error, socket: Socket): void;
  /**
   * True for the request that reaches the limit of its connection, and for a request to upgrade. During
   * shutdown, also true for the last request that has arrived on the connection.
   */
  isLast(exchange: Exchange, isEnding: boolean): boolean;
  /** True while a request has arrived and its response has not begun. */
  owesAnswer(socket: Socket): boolean;
}

interface PipelineParts {
  readonly held: HeldMemory;
  /** The limit for each connection; 0 means no limit. */
  readonly requestsMax: number;
  /** Begins to answer a request. One that has waited must begin in a later turn of the event loop. */
  answer(exchange: Exchange): void;
  /** Sends a refusal and closes the connection. Called when all earlier responses are complete. */
  refuseRaw(error: Error, socket: Socket): void;
}

/**
 * Memory reserved for a request that waits. Measured: Node.js allocates about 3 kB for a short request and
 * its future response.
 */
const WAITING_REQUEST_BYTES = 4_096;

/**
 * Memory reserved for a chunked body that waits: one packet can carry ten thousand one-byte chunks, each of
 * which takes a hundred bytes or more.
 */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

export function createPipeline({ held, requestsMax, answer, refuseRaw }: PipelineParts): Pipeline {
  const connections = new WeakMap<Socket, Connection>();

  function wait(connection: Connection, exchange: Exchange): void {
    const { socket, headers } = exchange.incoming;
    const before = connection.last.outgoing;
    connection.last = exchange;
    stopReading(connection, socket);
    const isChunked = headers['transfer-encoding'] !== undefined;
    const release = held.hold(socket, isChunked ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES);
    before.once('close', () => {
      release();
      takeTurn(connection, exchange);
    });
  }

  function takeTurn(connection: Connection, exchange: Exchange): void {
    const { socket, complete } = exchange.incoming;
    if (!socket.writable) {
      return; // closed by the client, or by the previous response
    }
    if (connection.error !== undefined && !complete) {
      refuseRaw(connection.error, socket);
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

  /** Pauses the connection, and pauses it again whenever Node.js resumes it after a response or a body. */
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
        return; // nothing is processed after "Connection: close" (RFC 9112 §9.6)
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
        refuseRaw(error, socket);
      } else if (connection.error === undefined) {
        const { current, last } = connection;
        connection.error = error;
        stopReading(connection, socket);
        if (last.incoming.complete) {
          last.outgoing.once('close', () => refuseRaw(error, socket));
        } else if (last === current) { // a waiting request is refused in its turn
          failBody(current, error);
        }
      }
    },

    isLast(exchange, isEnding) {
      const connection = connections.get(exchange.incoming.socket);
      return connection?.count === requestsMax
        || (isEnding && connection?.last === exchange)
        || asksForUpgrade(exchange.incoming);
    },

    owesAnswer(socket) {
      const current = connections.get(socket)?.current;
      return current !== undefined && current.incoming.complete && !current.outgoing.headersSent;
    },
  };

  /** Refuses a request whose body is malformed. If its response has begun, closes the connection instead. */
  function failBody({ incoming, outgoing }: Exchange, error: Error): void {
    if (outgoing.headersSent) {
      incoming.socket.destroy();
    } else {
      refuseRaw(error, incoming.socket);
    }
  }
}

/**
 * True for a request to change the protocol of the connection (RFC 9110 §7.8), which the service answers as
 * if it did not ask. Node.js drops what follows such a request in its packet, so the connection must end.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}

function isBlocked({ current, last, error }: Connection): boolean {
  return current !== last || error !== undefined;
}
