/**
 * Decides when each request begins.
 *
 * Requests of one connection are answered one at a time and in order (RFC 9112 §9.3.2): each sees the effects
 * of the previous one. Node.js emits all requests of a packet at once, and would run them concurrently. A
 * request waits until the kernel has taken the previous response. While requests wait, nothing more is read
 * from their connection.
 *
 * Requests of all connections that arrive in one turn of the event loop start together, at its end: the same
 * code runs for all of them, their writes share a transaction, and their responses leave together. Without
 * this, a read takes 1.4 to 1.9 times the processor time. A flood of requests is spread over several turns,
 * in which connections are read and written.
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
  /** The future responses to its requests, in order. An error stands for bytes that are not a request. */
  readonly unanswered: (ServerResponse | Error)[];
  /** True when no further request will be answered. */
  isFull: boolean;
}

/**
 * @param answer - Takes the time at which the request arrived or, if it waited, its turn came.
 * @param refuse - Sends a refusal and closes the connection. Called when all earlier responses are complete.
 */
export function createPipeline(
  hold: Hold,
  answer: (response: ServerResponse, arrivedAtMs: number) => void,
  refuse: (error: Error, socket: Socket) => void,
) {
  const connections = new WeakMap<Socket, Connection>();
  const arrived: (() => void)[] = [];

  function open(socket: Socket): Connection {
    const connection: Connection = { unanswered: [], isFull: false };
    connections.set(socket, connection);
    // Node.js resumes a connection after each response and body.
    socket.on('resume', () => isBlocked(connection) && socket.pause());
    return connection;
  }

  function begin(response: ServerResponse): void {
    const { req } = response;
    const atMs = performance.now();
    if (isChunked(req) && !req.complete) {
      answer(response, atMs); // at once, because chunks take more memory while they wait
    } else if (arrived.push(() => req.socket.writable && answer(response, atMs)) === 1) {
      setImmediate(startTogether);
    }
  }

  function startTogether(): void {
    const untilMs = performance.now() + TOGETHER_MS_MAX;
    let count = 0;
    do {
      arrived.shift()?.();
      count += 1;
    } while (arrived.length > 0 && count < TOGETHER_MAX && performance.now() < untilMs);
    if (arrived.length > 0) {
      setImmediate(startTogether);
    }
  }

  function beginNext(connection: Connection, socket: Socket): void {
    connection.unanswered.shift();
    const [next] = connection.unanswered;
    if (!socket.writable) {
      return; // closed by the client, or by the previous response
    }
    if (next instanceof Error) {
      refuse(next, socket);
    } else if (next !== undefined) {
      hold(socket, -waitingBytesOf(next));
      begin(next);
    }
    if (!isBlocked(connection)) {
      socket.resume();
    }
  }

  return {
    /** Answers a request when all earlier requests of its connection are answered. */
    receive(incoming: IncomingMessage, response: ServerResponse): void {
      const { socket } = incoming;
      response.on('error', () => {}); // the client is gone
      if (!socket.writable) {
        return; // nothing is processed after `Connection: close` (RFC 9112 §9.6)
      }
      const connection = connections.get(socket) ?? open(socket);
      const { unanswered, isFull } = connection;
      if (unanswered.length > 0) {
        socket.pause();
        hold(socket, waitingBytesOf(response)); // Node.js keeps it until it is answered, or for good
      }
      if (isFull) {
        return;
      }
      unanswered.push(response);
      response.once('close', () => beginNext(connection, socket));
      connection.isFull = unanswered.length === UNANSWERED_MAX;
      response.shouldKeepAlive &&= !connection.isFull && !asksForUpgrade(incoming);
      if (unanswered.length === 1) {
        begin(response);
      }
    },

    /** Refuses bytes that the parser could not read, after all earlier requests are answered. */
    fail(error: Error, socket: Socket): void {
      const { unanswered } = connections.get(socket) ?? open(socket);
      const last = unanswered.at(-1);
      if (last instanceof Error) {
        return;
      }
      if (last?.req.complete === false) {
        unanswered.pop(); // the error is in its body, so the refusal is its response
      }
      unanswered.push(error);
      if (unanswered.length > 1) {
        socket.pause();
      } else if (last?.headersSent === true) {
        socket.destroy();
      } else {
        refuse(error, socket);
      }
    },

    /** The requests of the connection that have arrived and are not answered, oldest first. */
    unanswered: (socket: Socket): Connection['unanswered'] => connections.get(socket)?.unanswered ?? [],
  };
}

/** True while nothing may be read from the connection. */
function isBlocked({ unanswered, isFull }: Connection): boolean {
  return unanswered.length > 1 || isFull;
}

function waitingBytesOf({ req }: ServerResponse): number {
  return isChunked(req) ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES;
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/**
 * True for a request to change the protocol of the connection (RFC 9110 §7.8). The service ignores the wish
 * and answers the request. Node.js drops the bytes after such a request in its packet, so the connection
 * must end.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}
