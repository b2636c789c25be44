/**
 * The load: connections that are kept alive, each with one request on the way at any time, over raw sockets. The next
 * request leaves when the answer is there, so the server is never idle, and waiting times are mostly the queue of
 * connections before it.
 */
import { connect, type Socket } from 'node:net';
import { AnswerReader } from './framing.ts';
import type { PreparedRequest } from './request.ts';

interface LoadParts {
  readonly port: number;
  readonly connectionCount: number;
  readonly next: () => PreparedRequest;
  /** Called for every answer that has the status it should have. */
  readonly onAnswer: (latencyMs: number) => void;
}

interface Load {
  /** Rejects with the first wrong answer or lost connection; never fulfilled. */
  readonly failed: Promise<never>;
  stop(): void;
}

const READ_BUFFER_BYTES = 65_536;

export function startLoad({ connectionCount, ...parts }: LoadParts): Load {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {}); // whoever runs the load looks at it, but a connection may fail a moment after that
  const sockets = Array.from({ length: connectionCount }, () => openConnection(parts, reject));
  return {
    failed,
    stop: () => sockets.forEach((socket) => socket.removeAllListeners('close').destroy()),
  };
}

function openConnection({ port, next, onAnswer }: Omit<LoadParts, 'connectionCount'>, fail: (error: Error) => void): Socket {
  const reader = new AnswerReader();
  let request = next();
  let sentAtMs = 0;

  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(READ_BUFFER_BYTES), callback: receive },
  });
  socket.on('connect', send);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed a connection that should be kept alive')));
  return socket;

  function send(): void {
    sentAtMs = performance.now();
    socket.write(request.bytes);
  }

  function receive(byteCount: number, buffer: Uint8Array): boolean {
    try {
      const status = reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, byteCount));
      if (status !== undefined) {
        finish(status);
      }
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  }

  function finish(status: number): void {
    if (status !== request.status) {
      const [line] = request.bytes.toString('latin1').split('\r\n');
      throw new Error(`Expected ${request.status} in answer to "${line}", got ${status}`);
    }
    onAnswer(performance.now() - sentAtMs);
    request = next();
    send();
  }
}
