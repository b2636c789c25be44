/**
 * Answers the requests of a connection one at a time and in order (RFC 9112 §9.3.2): each request sees the
 * effects of the previous one. Node.js emits all requests of a packet at once, and would run them
 * concurrently.
 *
 * A request waits until the kernel has taken the previous response. While requests wait, nothing more is
 * read from their connection, and no more than a hundred of a packet are answered: the response to the last
 * of them closes the connection, and the client sends the others again on another.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Hold } from './held-bytes.ts';

/** The most requests of a connection that are unanswered at a time, and will be answered. */
const UNANSWERED_MAX = 100;

/** Measured: Node.js allocates about 3 kB for a short request and its future response. */
const WAITING_REQUEST_BYTES = 4_096;

/** One packet can carry ten thousand chunks of one byte, each of which takes a hundred bytes or more. */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

interface Connection {
  /** The response to the request that is being answered, or was answered last. */
  current: ServerResponse;
  /** The future responses to the requests behind it. */
  readonly waiting: ServerResponse[];
  /** True when no request behind `waiting` will be answered. */
  isFull: boolean;
  /** Set when the parser failed inside or behind the last request. */
  error?: Error;
}

interface Pipeline {
  /** Answers a request, at once if no other is being answered on its connection. */
  receive(incoming: IncomingMessage, response: ServerResponse): void;
  /** Refuses bytes that the parser could not read, after all earlier requests are answered. */
  fail(error: Error, socket: Socket): void;
  /**
   * True for the last request that the connection will answer: a full connection, a request to upgrade, and
   * during shutdown the last request that has arrived.
   */
  isLast(response: ServerResponse): boolean;
  /** True while a request has arrived and its response has not begun. */
  owesAnswer(socket: Socket): boolean;
}

interface PipelineParts {
  readonly hold: Hold;
  /** True during shutdown. */
  readonly isEnding: () => boolean;
  /** Begins to answer a request, in a later turn of the event loop if it has waited. */
  readonly answer: (response: ServerResponse) => void;
  /** Sends a refusal and closes the connection. Called when all earlier responses are complete. */
  readonly refuse: (error: Error, socket: Socket) => void;
}

export function createPipeline({ hold, isEnding, answer, refuse }: PipelineParts): Pipeline {
  const connections = new WeakMap<Socket, Connection>();

  function open(socket: Socket, current: ServerResponse): void {
    const connection: Connection = { current, waiting: [], isFull: false };
    connections.set(socket, connection);
    // Node.js resumes a connection after each response and body.
    socket.on('resume', () => isBlocked(connection) && socket.pause());
  }

  function wait(connection: Connection, response: ServerResponse): void {
    const { socket, headers } = response.req;
    const isChunked = headers['transfer-encoding'] !== undefined;
    // Counts also what is not answered: Node.js keeps it until the connection closes.
    const release = hold(socket, isChunked ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES);
    if (connection.isFull) {
      return;
    }
    const before = lastOf(connection);
    before.once('close', () => {
      release();
      takeTurn(connection, socket);
    });
    connection.waiting.push(response);
    connection.isFull = connection.waiting.length + 1 === UNANSWERED_MAX;
    socket.pause();
  }

  function takeTurn(connection: Connection, socket: Socket): void {
    if (!socket.writable) {
      return; // closed by the client, or by the previous response
    }
    const response = connection.waiting.shift();
    if (connection.error !== undefined && !response?.req.complete) {
      refuse(connection.error, socket);
    } else if (response !== undefined) {
      connection.current = response;
      answer(response);
    }
    if (!isBlocked(connection)) {
      socket.resume();
    }
  }

  /** Refuses a request whose body is malformed. If its response has begun, closes the connection instead. */
  function refuseBody(error: Error, { headersSent, req: { socket } }: ServerResponse): void {
    if (headersSent) {
      socket.destroy();
    } else {
      refuse(error, socket);
    }
  }

  return {
    receive({ socket }, response) {
      response.on('error', () => {}); // the client is gone
      const connection = connections.get(socket);
      if (!socket.writable) {
        return; // nothing is processed after `Connection: close` (RFC 9112 §9.6)
      }
      if (connection !== undefined && !isIdle(connection)) {
        wait(connection, response);
        return;
      }
      if (connection === undefined) {
        open(socket, response);
      } else {
        connection.current = response;
      }
      answer(response);
    },

    fail(error, socket) {
      const connection = connections.get(socket);
      if (connection === undefined || isIdle(connection)) {
        refuse(error, socket);
      } else if (connection.error === undefined) {
        connection.error = error;
        socket.pause();
        const last = lastOf(connection);
        if (last.req.complete) {
          last.once('close', () => takeTurn(connection, socket));
        } else if (last === connection.current) { // a waiting request is refused in its turn
          refuseBody(error, last);
        }
      }
    },

    isLast({ req }) {
      const connection = connections.get(req.socket);
      const hasLater = connection !== undefined && connection.waiting.length > 0;
      return asksForUpgrade(req) || (!hasLater && (connection?.isFull === true || isEnding()));
    },

    owesAnswer(socket) {
      const current = connections.get(socket)?.current;
      return current !== undefined && current.req.complete && !current.headersSent;
    },
  };
}

function lastOf({ current, waiting }: Connection): ServerResponse {
  return waiting.at(-1) ?? current;
}

/** True when all requests of the connection are answered. */
function isIdle(connection: Connection): boolean {
  return lastOf(connection).writableFinished;
}

/** True while nothing may be read from the connection. */
function isBlocked({ waiting, isFull, error }: Connection): boolean {
  return waiting.length > 0 || isFull || error !== undefined;
}

/**
 * True for a request to change the protocol of the connection (RFC 9110 §7.8), which the service answers as
 * if it did not ask. Node.js drops what follows such a request in its packet, so the connection must end.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}
