/**
 * Decides when each request begins.
 *
 * Requests of one connection are answered one at a time and in order (RFC 9112 §9.3.2): each sees the effects
 * of the previous one. Node.js emits all requests of a packet at once, and would run them concurrently. A
 * request waits until the kernel has taken the previous response. While requests wait, nothing more is read
 * from their connection.
 *
 * Requests of all connections that arrive in one turn of the event loop start together, at its end: the same
 * code runs for all of them, their reads of the database share a snapshot, their writes share a transaction,
 * and their responses leave together. Without this, a read takes 1.4 to 1.9 times the processor time. A flood
 * of requests is spread over several turns, in which connections are read and written.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Hold } from './held-bytes.ts';

/**
 * The most requests of a connection that are unanswered at a time, and will be answered. The response to the
 * last of them closes the connection, and the client sends the others again on another.
 */
const UNANSWERED_MAX = 100;

/** Measured: Node.js allocates about 3 kB for a short request and its future response. */
const WAITING_REQUEST_BYTES = 4_096;

/** One packet can carry ten thousand chunks of one byte, each of which takes a hundred bytes or more. */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

/**
 * The most requests that start in a turn. Their responses are in memory at the same time, so there should be
 * few. Fewer than 16 cost more processor time for each.
 */
const TOGETHER_MAX = 16;

/** When starting has taken this long, the next requests wait for another turn. */
const TOGETHER_MS_MAX = 1;

interface Connection {
  /** The future responses to its requests, in order. The first is being made or sent. */
  readonly unanswered: ServerResponse[];
  /** True when no further request will be answered. */
  isFull: boolean;
  /** Set when the parser failed inside or behind the last request. */
  error?: Error;
}

interface PipelineParts {
  readonly hold: Hold;
  /** @param arrivedAtMs - When the request arrived or, if it waited, its turn came: `performance.now()`. */
  readonly answer: (response: ServerResponse, arrivedAtMs: number) => void;
  /** Sends a refusal and closes the connection. Called when all earlier responses are complete. */
  readonly refuse: (error: Error, socket: Socket) => void;
}

export function createPipeline({ hold, answer, refuse }: PipelineParts) {
  const connections = new WeakMap<Socket, Connection>();
  const arrived: { readonly response: ServerResponse; readonly atMs: number }[] = [];

  function open(socket: Socket): Connection {
    const connection: Connection = { unanswered: [], isFull: false };
    connections.set(socket, connection);
    // Node.js resumes a connection after each response and body.
    socket.on('resume', () => isBlocked(connection) && socket.pause());
    return connection;
  }

  function begin(response: ServerResponse): void {
    if (isChunked(response.req) && !response.req.complete) {
      answer(response, performance.now()); // at once, because chunks take more memory while they wait
    } else if (arrived.push({ response, atMs: performance.now() }) === 1) {
      setImmediate(startTogether);
    }
  }

  function startTogether(): void {
    const untilMs = performance.now() + TOGETHER_MS_MAX;
    let count = 0;
    do {
      const next = arrived.shift();
      if (next?.response.req.socket.writable) { // the client may have gone
        answer(next.response, next.atMs);
      }
      count += 1;
    } while (arrived.length > 0 && count < TOGETHER_MAX && performance.now() < untilMs);
    if (arrived.length > 0) {
      setImmediate(startTogether);
    }
  }

  function beginNext(connection: Connection, socket: Socket): void {
    connection.unanswered.shift();
    if (!socket.writable) {
      return; // closed by the client, or by the previous response
    }
    const [next] = connection.unanswered;
    if (next !== undefined) {
      hold(socket, -waitingBytesOf(next));
      begin(next);
    } else if (connection.error !== undefined) {
      refuse(connection.error, socket);
    }
    if (!isBlocked(connection)) {
      socket.resume();
    }
  }

  return {
    /** Answers a request when all earlier requests of its connection are answered. */
    receive({ socket }: IncomingMessage, response: ServerResponse): void {
      response.on('error', () => {}); // the client is gone
      if (!socket.writable) {
        return; // nothing is processed after `Connection: close` (RFC 9112 §9.6)
      }
      const connection = connections.get(socket) ?? open(socket);
      const { unanswered, isFull } = connection;
      const isWaiting = isFull || unanswered.length > 0;
      if (isWaiting) {
        socket.pause();
        hold(socket, waitingBytesOf(response)); // Node.js keeps it until it is answered, or for good
      }
      if (isFull) {
        return;
      }
      unanswered.push(response);
      response.once('close', () => beginNext(connection, socket));
      connection.isFull = unanswered.length === UNANSWERED_MAX;
      if (connection.isFull || asksForUpgrade(response.req)) {
        response.shouldKeepAlive = false;
      }
      if (!isWaiting) {
        begin(response);
      }
    },

    /** Refuses bytes that the parser could not read, after all earlier requests are answered. */
    fail(error: Error, socket: Socket): void {
      const connection = connections.get(socket);
      const last = connection?.unanswered.at(-1);
      if (connection === undefined || last === undefined) {
        refuse(error, socket);
      } else if (connection.error === undefined) {
        connection.error = error;
        socket.pause();
        if (last.req.complete) {
          return; // refused behind it
        }
        if (connection.unanswered.length > 1) {
          connection.unanswered.pop(); // refused instead of it
        } else if (last.headersSent) {
          socket.destroy();
        } else {
          refuse(error, socket);
        }
      }
    },

    /** True while other requests of the connection wait for this response. */
    hasLater(socket: Socket): boolean {
      return (connections.get(socket)?.unanswered.length ?? 0) > 1;
    },

    /** True while a request has arrived and its response has not begun. */
    owesAnswer(socket: Socket): boolean {
      const current = connections.get(socket)?.unanswered[0];
      return current !== undefined && current.req.complete && !current.headersSent;
    },
  };
}

/** True while nothing may be read from the connection. */
function isBlocked({ unanswered, isFull, error }: Connection): boolean {
  return unanswered.length > 1 || isFull || error !== undefined;
}

function waitingBytesOf({ req }: ServerResponse): number {
  return isChunked(req) ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES;
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/**
 * True for a request to change the protocol of the connection (RFC 9110 §7.8), which the service answers as
 * if it did not ask. Node.js drops what follows such a request in its packet, so the connection must end.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}
