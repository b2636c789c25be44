/**
 * Answers the requests of a connection one at a time and in order (RFC 9112 §9.3.2): each request sees the
 * effects of the previous one. Node.js emits all requests of a packet at once, and would run them
 * concurrently.
 *
 * A request waits until the kernel has taken the previous response. While requests wait, nothing more is
 * read from their connection.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, Connections, Exchange, Turn } from './connections.ts';

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
  readonly connections: Connections;
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

export function createPipeline({ connections, requestsMax, answer, refuseRaw }: PipelineParts): Pipeline {
  function wait(connection: Connection, turn: Turn, exchange: Exchange): void {
    const { socket, headers } = exchange.incoming;
    const before = turn.last.outgoing;
    turn.last = exchange;
    stopReading(turn, socket);
    const isChunked = headers['transfer-encoding'] !== undefined;
    const release = connections.hold(socket, isChunked ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES);
    before.once('close', () => {
      release();
      takeTurn(connection, turn, exchange);
    });
  }

  function takeTurn(connection: Connection, turn: Turn, exchange: Exchange): void {
    const { socket, complete } = exchange.incoming;
    if (!socket.writable) {
      return; // closed by the client, or by the previous response
    }
    if (turn.error !== undefined && !complete) {
      refuseRaw(turn.error, socket);
      return;
    }
    turn.current = exchange;
    begin(connection, exchange);
    if (!isBlocked(turn)) {
      socket.resume();
    }
  }

  function begin(connection: Connection, exchange: Exchange): void {
    connection.requestCount += 1;
    answer(exchange);
  }

  /** Pauses the connection, and pauses it again whenever Node.js resumes it after a response or a body. */
  function stopReading(turn: Turn, socket: Socket): void {
    if (!turn.isWatched) {
      turn.isWatched = true;
      socket.on('resume', () => {
        if (isBlocked(turn)) {
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
      const connection = connections.find(socket);
      if (connection === undefined) {
        return; // closed
      }
      const { turn } = connection;
      if (turn === undefined) {
        connection.turn = { current: exchange, last: exchange, isWatched: false };
        begin(connection, exchange);
      } else if (turn.last.outgoing.writableFinished) {
        turn.current = turn.last = exchange;
        begin(connection, exchange);
      } else {
        wait(connection, turn, exchange);
      }
    },

    fail(error, socket) {
      const turn = connections.find(socket)?.turn;
      if (turn === undefined || turn.last.outgoing.writableFinished) {
        refuseRaw(error, socket);
      } else if (turn.error === undefined) {
        const { current, last } = turn;
        turn.error = error;
        stopReading(turn, socket);
        if (last.incoming.complete) {
          last.outgoing.once('close', () => refuseRaw(error, socket));
        } else if (last === current) { // a waiting request is refused in its turn
          failBody(current, error);
        }
      }
    },

    isLast(exchange, isEnding) {
      const connection = connections.find(exchange.incoming.socket);
      return connection?.requestCount === requestsMax
        || (isEnding && connection?.turn?.last === exchange)
        || asksForUpgrade(exchange.incoming);
    },

    owesAnswer(socket) {
      const current = connections.find(socket)?.turn?.current;
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

function isBlocked({ current, last, error }: Turn): boolean {
  return current !== last || error !== undefined;
}
