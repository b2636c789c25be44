/**
 * Decides when each request begins.
 *
 * Requests of one connection are answered one at a time and in order (RFC 9112 §9.3.2): each sees the effects
 * of the previous one. Node.js emits all requests of a packet at once, and would run them concurrently. A
 * request waits until the kernel has taken the previous response. While requests wait, nothing more is read
 * from their connection.
 *
 * All requests that arrive in one turn of the event loop start together at the end of the turn. Their writes
 * share a transaction, and their responses leave together. Without this, a read takes 1.4 to 1.9 times the
 * processor time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isChunked } from './framing.ts';
import type { Hold } from './held-bytes.ts';

/** The most requests of a connection that wait. The response to the last of them closes the connection. */
const UNANSWERED_MAX = 100;

/** The most requests that start in a turn, because their responses are in memory at the same time. */
const TOGETHER_MAX = 16;

/** Measured: Node.js allocates about 3 kB for a short request and its future response. */
const WAITING_REQUEST_BYTES = 4_096;

/** For a request in chunks: one packet can carry ten thousand chunks, and each takes 100 bytes or more. */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

interface Connection {
  /** The future responses to its requests, in order. An error stands for bytes that are no request. */
  readonly unanswered: (ServerResponse | Error)[];
  /** True once it has sent a request that will not be answered. Then nothing more is read from it. */
  isOver: boolean;
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

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) {
      return known;
    }
    const connection: Connection = { unanswered: [], isOver: false };
    connections.set(socket, connection);
    // Node.js resumes a connection after each response and body.
    socket.on('resume', () => isBlocked(connection) && socket.pause());
    return connection;
  }

  function startTogether(): void {
    arrived.splice(0, TOGETHER_MAX).forEach((start) => start());
    if (arrived.length > 0) {
      setImmediate(startTogether); // in between, connections are read and written
    }
  }

  function begin(response: ServerResponse): void {
    const { req } = response;
    const arrivedAtMs = performance.now();
    if (isChunked(req) && !req.complete) {
      answer(response, arrivedAtMs); // at once, because chunks take more memory while they wait
    } else if (arrived.push(() => req.socket.writable && answer(response, arrivedAtMs)) === 1) {
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
      const connection = connectionOf(socket);
      const { unanswered } = connection;
      const last = unanswered.at(-1);
      if (last !== undefined) {
        socket.pause();
        hold(socket, waitingBytesOf(response)); // kept by Node.js until its response, or the end
      }
      if (last instanceof Error || last?.shouldKeepAlive === false) {
        connection.isOver = true; // the last response ends the connection
        return;
      }
      unanswered.push(response);
      response.once('close', () => beginNext(connection, socket));
      // An upgrade is not offered (RFC 9110 §7.8). Node.js drops the bytes behind such a request.
      const { upgrade, connection: options = '' } = incoming.headers;
      const isUpgrade = upgrade !== undefined && /\bupgrade\b/i.test(options);
      response.shouldKeepAlive &&= unanswered.length < UNANSWERED_MAX && !isUpgrade;
      if (last === undefined) {
        begin(response);
      }
    },

    /** Refuses bytes that the parser could not read, after all earlier requests are answered. */
    fail(error: Error, socket: Socket): void {
      const { unanswered } = connectionOf(socket);
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

    /** True while requests wait for the one that is being answered. */
    hasWaiting: (socket: Socket): boolean => connectionOf(socket).unanswered.length > 1,
  };
}

/** True while nothing may be read from the connection. */
function isBlocked({ unanswered, isOver }: Connection): boolean {
  return unanswered.length > 1 || isOver;
}

function waitingBytesOf({ req }: ServerResponse): number {
  return isChunked(req) ? WAITING_CHUNKS_BYTES : WAITING_REQUEST_BYTES;
}
