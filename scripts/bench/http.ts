/**
 * This HTTP/1.1 client is minimal, because it must use less CPU time than the measured server. The client
 * does not support chunked responses, because the service never sends any.
 */
import { connect, type Socket } from 'node:net';
import { toMessage, type CallOptions } from '../../test/support/http-client.ts';

export interface PreparedRequest {
  /** For example, `GET /api/v1/users`. */
  readonly line: string;
  readonly options: CallOptions;
  readonly bytes: Buffer;
  /** Any other status of the response ends the run. */
  readonly status: number;
}

export function prepare(line: string, options: CallOptions = {}, status = 200): PreparedRequest {
  const { method, target, fields, content = '' } = toMessage(line, options);
  const all = Object.entries({ Host: 'localhost', ...fields });
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${content}`);
  return { line, options, bytes, status };
}

interface LoadParts {
  readonly port: number;
  readonly connections: number;
  readonly next: () => PreparedRequest;
  readonly onAnswer: () => void;
}

/**
 * On each connection, the next request is sent as soon as the response arrives, so the server is never idle.
 *
 * @returns The promise `failed` rejects after the first wrong response or lost connection.
 */
export function startLoad({ connections, ...parts }: LoadParts): { failed: Promise<never>; stop(): void } {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {}); // prevents an unhandled rejection until the caller awaits `failed`
  const sockets = Array.from({ length: connections }, () => openConnection(parts, reject));
  return { failed, stop: () => sockets.forEach((socket) => socket.removeAllListeners('close').destroy()) };
}

function openConnection(
  { port, next, onAnswer }: Omit<LoadParts, 'connections'>, fail: (error: Error) => void,
): Socket {
  const read = createReader();
  let request = next();
  const send = () => socket.write(request.bytes);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, send);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed a connection that it should have kept alive')));
  socket.on('data', (chunk: Buffer) => {
    const status = read(chunk);
    if (status === undefined) {
      return;
    }
    if (status !== request.status) {
      socket.destroy();
      fail(new Error(`Expected ${request.status} in response to "${request.line}", got ${status}`));
      return;
    }
    onAnswer();
    request = next();
    send();
  });
  return socket;
}

/** @returns A function that takes chunks, and returns the status when a response is complete. */
export function createReader(): (chunk: Buffer) => number | undefined {
  let received: Buffer = Buffer.alloc(0);
  return (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      return undefined;
    }
    const head = received.toString('latin1', 0, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? NaN);
    const length = status === 304 ? 0 : Number(/\r\nContent-Length: *(\d+)/i.exec(head)?.[1] ?? NaN);
    const missing = headEnd + 4 + length - received.length;
    if (Number.isNaN(status + length) || missing < 0) {
      throw new Error(`Cannot frame a response: expected a status and the right Content-Length in "${head}"`);
    }
    if (missing > 0) {
      return undefined;
    }
    received = Buffer.alloc(0);
    return status;
  };
}
