/**
 * Answers the requests of each connection in order (RFC 9112 §9.3.2). A request starts only when the kernel
 * has taken the previous response. The request therefore sees the effects of all earlier requests.
 *
 * Requests that arrive in the same iteration of the event loop start together, so their writes share a
 * transaction. If each request started when it arrived, a read would take 40 to 90 % more CPU time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_BYTES_MAX } from './body.ts';
import { toPlainAddress, type IsTrusted } from './client-address.ts';
import type { Log, Reply } from './message.ts';

/** A connection with this many unanswered requests accepts no more, and closes after the last response. */
const UNANSWERED_MAX = 100;

/** Limits how many requests start together, because all their responses are in memory at the same time. */
const TOGETHER_MAX = 16;

/** In measurements, a short request and its response took about 3 kB of memory. */
const WAITING_REQUEST_BYTES = 4_096;

/** A waiting body can arrive as 10,000 chunks in one packet. Each chunk takes 100 extra bytes of memory. */
const WAITING_CHUNKS_BYTES = 2 * 1024 * 1024;

/**
 * The maximum memory for unread responses and waiting requests: enough for three of the longest lists. One
 * client can open a thousand connections, so this limit applies to all connections together.
 */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Node.js joins the header fields and a short text into one string. `send` itself encodes a long text.
 * Otherwise, Node.js would keep both the text and its bytes until all bytes are sent.
 */
const SHORT_LENGTH_MAX = 16_384;

export type RefusalStatus = 400 | 408 | 413 | 414 | 417 | 431;

export interface Application {
  /** @param startedAtMs - When all earlier requests on the connection were answered (`performance.now()`). */
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

  function send(response: ServerResponse, { status, headers, body }: Reply): void {
    const { req: request, req: { socket } } = response;
    const isText = typeof body === 'string';
    const content = isText && body.length > SHORT_LENGTH_MAX ? Buffer.from(body) : body;
    const sizeBytes = Buffer.byteLength(content);
    // A text with as many bytes as characters is ASCII. Node.js writes ASCII faster as Latin-1 than as UTF-8.
    const encoding = sizeBytes === content.length ? 'latin1' : 'utf8';
    // Perhaps the client is still sending a long body. Node.js itself discards the rest of a short body. If
    // this response closes a paused connection, perhaps the client is still sending further requests.
    const isBodyShort = Number(request.headers['content-length']) <= BODY_BYTES_MAX;
    const mayBeSending =
      (!request.complete && !isBodyShort) || (!response.shouldKeepAlive && socket.isPaused());
    response.shouldKeepAlive &&= !mayBeSending;
    const length = status !== 204 && status !== 304 && { 'Content-Length': sizeBytes };
    response.writeHead(status, { ...length, ...headers });
    const end = () => response.end();
    if (mayBeSending) {
      // If bytes arrive after the close, the kernel resets the connection, and the response may be lost.
      response.write(content, encoding);
      response.flushHeaders(); // sends the header fields even if there is no content
      setTimeout(end, 1_000); // the connection stays open for a second
      if (!request.complete) {
        request.once('close', end).resume(); // discards the rest of the body
      }
    } else if (sizeBytes > SHORT_LENGTH_MAX) {
      // After `end`, a shutdown can close the connection. So `end` is called only when all bytes are sent.
      response.write(content, encoding, end);
    } else {
      response.end(content, encoding); // Node.js leaves out the content for HEAD, 204 and 304
    }
    // Usually, the kernel has already taken all bytes, so this condition is false.
    if (response.writableLength > 0 || mayBeSending) {
      const heldBytes = isText ? response.writableLength : 0; // all clients share one copy of a file
      hold(socket, heldBytes);
      // Without this timer, a client that rarely reads a byte could hold the response in memory for ever.
      const timer = setTimeout(() => socket.destroy(), responseTimeoutMs);
      response.once('close', () => {
        clearTimeout(timer);
        hold(socket, -heldBytes);
      });
    }
  }

  return {
    async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const { socket, headers: { connection = '', upgrade, 'transfer-encoding': coding } } = incoming;
      response.on('error', () => {}); // an error means that the client is gone
      if (!socket.writable) {
        return; // after a response with `Connection: close`, requests are ignored (RFC 9112 §9.6)
      }
      const unanswered = listUnanswered(socket);
      const previous = unanswered.at(-1);
      unanswered.push(response);
      // After an upgrade request, Node.js drops further bytes. No route offers an upgrade (RFC 9110 §7.8).
      const isUpgrade = upgrade !== undefined && /\bupgrade\b/i.test(connection);
      response.shouldKeepAlive &&= unanswered.length < UNANSWERED_MAX && !isUpgrade;
      if (previous !== undefined) {
        const heldBytes = coding === undefined ? WAITING_REQUEST_BYTES : WAITING_CHUNKS_BYTES;
        socket.pause();
        hold(socket, heldBytes);
        // If the previous response closes the connection, this request gets no response and is not handled.
        // Without this check and the check of `writable` below, 300 connections full of requests would
        // exhaust a heap of 160 MB.
        if (!previous.shouldKeepAlive) {
          response.shouldKeepAlive = false;
          return;
        }
        await untilTaken(previous);
        hold(socket, -heldBytes);
        if (!socket.writable) {
          return; // the requests of a closed connection must not stay in memory
        }
      }
      response.once('close', () => {
        unanswered.shift();
        if (unanswered.length <= 1) {
          socket.resume();
        }
      });
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
        send(response, reply);
      } catch {
        socket.destroy(); // no response can be made or sent
      }
    },

    /** Refuses bytes that the parser could not read. The refusal is sent after all earlier responses. */
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

/** Refuses bytes that are not a request. For these bytes, Node.js makes no `ServerResponse`. */
function sendWithoutRequest(socket: Socket, { status, headers, body }: Reply): void {
  const { STATUS_CODES } = process.getBuiltinModule('node:http'); // listener.ts says why this is no `import`
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), 'Connection': 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body.toString()}`);
}

function createHold(log: Log) {
  const held = new Map<Socket, number>();
  let totalBytes = 0;
  const forget = (socket: Socket): void => {
    totalBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  };
  /** @param sizeBytes - The change in the memory that the connection uses; negative for a decrease. */
  return (newest: Socket, sizeBytes: number): void => {
    if (newest.destroyed) {
      return;
    }
    if (!held.has(newest)) {
      newest.once('close', () => forget(newest));
    }
    held.set(newest, (held.get(newest) ?? 0) + sizeBytes);
    totalBytes += sizeBytes;
    if (totalBytes <= HELD_BYTES_MAX) {
      return;
    }
    // Does not close `newest`, because a long response must not close its own connection.
    for (const [socket, bytes] of [...held].toSorted(([, left], [, right]) => right - left)) {
      if (totalBytes > HELD_BYTES_MAX && bytes > 0 && socket !== newest) {
        forget(socket);
        const address = toPlainAddress(socket.remoteAddress);
        log('warn', 'connection closed to free the memory that it held', { address, bytes });
        socket.destroy();
      }
    }
  };
}
