/**
 * Answers the requests of one connection in order (RFC 9112 §9.3.2). A request starts only when the kernel
 * has taken the previous response. The request therefore sees the effects of all earlier requests.
 *
 * Requests that arrive in the same turn of the event loop start together, so their writes share a
 * transaction. If each request started when it arrived, a read would take 40 to 90 % more CPU time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toPlainAddress, type IsTrusted } from './client-address.ts';
import type { Log, Reply } from './message.ts';
import { createHold, send, sendWithoutRequest } from './send.ts';

/** A connection with this many unanswered requests accepts no more, and closes after the last response. */
const UNANSWERED_MAX = 100;

/** Limits how many requests start together, because all their responses are in memory at the same time. */
const TOGETHER_MAX = 16;

/** In measurements, Node.js kept about 3 kB of memory for a short request and its response. */
const WAITING_REQUEST_BYTES = 4_096;

/** A waiting body may arrive as 10,000 chunks in one packet. Each chunk takes 100 extra bytes of memory. */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface Application {
  /** @param startedAtMs - The time at which all earlier requests were answered (`performance.now()`). */
  answer(incoming: IncomingMessage, startedAtMs: number): Promise<Reply>;
  /** Makes the reply to bytes that are not a valid request. */
  refuseUnread(status: RefusalStatus, peer: string): Reply;
  /** In the stage `draining`, the last response on a connection closes the connection. */
  readonly lifeCycle: { readonly stage: string };
  /** A trusted proxy may have any number of connections, because a proxy serves many clients. */
  readonly isTrustedProxy: IsTrusted | undefined;
  readonly log: Log;
}

export function createPipeline(
  { answer, refuseUnread, lifeCycle, log }: Application, responseTimeoutMs: number,
) {
  const hold = createHold(log);
  /** The open responses of each connection, in order. A response is open until the kernel takes all bytes. */
  const unansweredOf = new WeakMap<Socket, ServerResponse[]>();
  const malformed = new WeakSet<Socket>();
  const arrived: (() => void)[] = [];

  function listUnanswered(socket: Socket): ServerResponse[] {
    const unanswered = unansweredOf.get(socket) ?? [];
    if (!unansweredOf.has(socket)) {
      unansweredOf.set(socket, unanswered);
      // After each response and each body, Node.js resumes the connection, even if further requests wait.
      socket.on('resume', () => unanswered.length > 1 && socket.pause());
    }
    return unanswered;
  }

  function startTogether(): void {
    for (const start of arrived.splice(0, TOGETHER_MAX)) {
      start();
    }
    if (arrived.length > 0) {
      setImmediate(startTogether); // lets Node.js read and write before the next group starts
    }
  }

  return {
    async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const { socket, headers: { connection = '', upgrade, 'transfer-encoding': coding } } = incoming;
      response.on('error', () => {}); // an error means that the client is gone
      if (!socket.writable) {
        return; // nothing is processed after `Connection: close` (RFC 9112 §9.6)
      }
      const unanswered = listUnanswered(socket);
      const previous = unanswered.at(-1);
      unanswered.push(response);
      const heldBytes = coding === undefined ? WAITING_REQUEST_BYTES : WAITING_CHUNKS_BYTES;
      if (previous !== undefined) {
        socket.pause();
        hold(socket, heldBytes);
      }
      if (previous?.shouldKeepAlive === false) { // the previous response closes the connection
        response.shouldKeepAlive = false;
        return;
      }
      // After an upgrade request, Node.js drops further bytes. No route offers an upgrade (RFC 9110 §7.8).
      const isUpgrade = upgrade !== undefined && /\bupgrade\b/i.test(connection);
      response.shouldKeepAlive &&= unanswered.length < UNANSWERED_MAX && !isUpgrade;
      response.once('close', () => {
        unanswered.shift();
        if (unanswered.length <= 1) {
          socket.resume();
        }
      });
      if (previous !== undefined) {
        await untilTaken(previous);
        hold(socket, -heldBytes);
        if (!socket.writable) {
          return; // the requests of a closed connection must not stay in memory
        }
      }
      const startedAtMs = performance.now();
      // A chunked body is received immediately, because each waiting chunk takes a hundred bytes of memory.
      if (incoming.complete || coding === undefined) {
        await new Promise<void>((resolve) => arrived.push(resolve) === 1 && setImmediate(startTogether));
      }
      // If the client is gone, no response is needed. If the body is malformed, `fail` responds.
      if (!socket.writable || (malformed.has(socket) && !incoming.complete)) {
        return;
      }
      try {
        const reply = await answer(incoming, startedAtMs);
        const isLast = lifeCycle.stage === 'draining' && unanswered.length === 1;
        response.shouldKeepAlive &&= reply.headers['Connection'] !== 'close' && !isLast;
        send(response, reply, hold, responseTimeoutMs);
      } catch {
        socket.destroy(); // no response can be made or sent
      }
    },

    /** Refuses bytes that the parser could not read. The refusal follows all earlier responses. */
    async fail(status: RefusalStatus, socket: Socket): Promise<void> {
      if (malformed.has(socket)) {
        return; // the parser also fails at each later packet, but one refusal is enough
      }
      malformed.add(socket);
      const unanswered = listUnanswered(socket);
      const last = unanswered.at(-1);
      // If the error is in the body of the last request, the refusal replaces the response to that request.
      const isInBody = last?.req.complete === false;
      const previous = unanswered.at(isInBody ? -2 : -1);
      if (previous !== undefined) {
        await untilTaken(previous);
      }
      if (isInBody && last.headersSent) {
        socket.destroy();
      } else if (socket.writable) {
        sendWithoutRequest(socket, refuseUnread(status, toPlainAddress(socket.remoteAddress)));
      }
    },
  };
}

function untilTaken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve));
}
